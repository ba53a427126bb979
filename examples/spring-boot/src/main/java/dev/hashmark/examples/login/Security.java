package dev.hashmark.examples.login;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class Security {
	// The strength must be the cost of the stored hashes. Spring Security hashes with it for an
	// unknown user, to take as long as for a known one. A login whose stored hash has a lower cost
	// would be hashed again with it.
	@Bean
	PasswordEncoder passwordEncoder(@Value("${login.bcrypt-strength}") int strength) {
		return new BCryptPasswordEncoder(strength);
	}

	// Without a session each request is authenticated, and so compares a hash.
	@Bean
	@Order(1)
	SecurityFilterChain basic(HttpSecurity http) throws Exception {
		return http.securityMatcher("/api/**")
			.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
			.httpBasic(Customizer.withDefaults())
			.csrf(AbstractHttpConfigurer::disable)
			.sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.build();
	}

	// Spring Security's own login page, with its CSRF token. Refusals of the chain above are answered
	// through /error, which would otherwise redirect to the login page.
	@Bean
	@Order(2)
	SecurityFilterChain form(HttpSecurity http) throws Exception {
		return http
			.authorizeHttpRequests(requests -> requests.requestMatchers("/healthz", "/error").permitAll().anyRequest().authenticated())
			.formLogin(Customizer.withDefaults())
			.build();
	}
}
