package dev.hashmark.examples.login;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.StandardPasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;

@Configuration
@ConditionalOnProperty(name = "login.security", havingValue = "true", matchIfMissing = true)
class Security {
	// The strength must be the cost of the stored hashes. Spring Security hashes with it for an
	// unknown user, to take as long as for a known one. A login whose stored hash has a lower cost
	// would be hashed again with it.
	@Bean
	@ConditionalOnProperty(name = "login.encoder", havingValue = "bcrypt", matchIfMissing = true)
	PasswordEncoder bcrypt(@Value("${login.bcrypt-strength}") int strength) {
		return new BCryptPasswordEncoder(strength);
	}

	// One salted SHA-256 after another, 1,024 in all: to find what bcrypt costs, and for nothing
	// else. The password is given as text and stored when the service starts.
	@Bean
	@SuppressWarnings("deprecation")
	@ConditionalOnProperty(name = "login.encoder", havingValue = "sha256")
	PasswordEncoder sha256() {
		return new StandardPasswordEncoder();
	}

	@Bean
	@ConditionalOnProperty(name = "login.encoder", havingValue = "sha256")
	UserDetailsService accounts(PasswordEncoder encoder, @Value("${spring.security.user.name}") String name,
			@Value("${spring.security.user.password}") String password) {
		return new InMemoryUserDetailsManager(User.withUsername(name).password(encoder.encode(password)).authorities("USER").build());
	}

	// Without sessions each request is authenticated, and so compares a hash. With them, only the
	// first request of a client does.
	@Bean
	@Order(1)
	SecurityFilterChain basic(HttpSecurity http, @Value("${login.sessions:false}") boolean sessions) throws Exception {
		return http.securityMatcher("/api/**")
			.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
			.httpBasic(basic -> {
				if (sessions) {
					basic.addObjectPostProcessor(new IntoSession());
				}
			})
			.csrf(AbstractHttpConfigurer::disable)
			.sessionManagement(session -> session
				.sessionCreationPolicy(sessions ? SessionCreationPolicy.IF_REQUIRED : SessionCreationPolicy.STATELESS))
			.build();
	}

	// By default Basic authentication is not stored in the session.
	private static class IntoSession implements ObjectPostProcessor<BasicAuthenticationFilter> {
		@Override
		public <F extends BasicAuthenticationFilter> F postProcess(F filter) {
			filter.setSecurityContextRepository(new HttpSessionSecurityContextRepository());
			return filter;
		}
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
