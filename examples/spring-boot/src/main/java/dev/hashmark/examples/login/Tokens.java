package dev.hashmark.examples.login;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.server.authorization.config.annotation.web.configurers.OAuth2AuthorizationServerConfigurer;
import org.springframework.security.web.SecurityFilterChain;

// The endpoints of Spring Authorization Server, if a client is registered. Spring Boot adds them
// itself only to an application without other filter chains.
@Configuration
@ConditionalOnProperty("spring.security.oauth2.authorizationserver.client.login.registration.client-id")
class Tokens {
	@Bean
	@Order(0)
	SecurityFilterChain endpoints(HttpSecurity http) throws Exception {
		OAuth2AuthorizationServerConfigurer server = OAuth2AuthorizationServerConfigurer.authorizationServer();
		return http.securityMatcher(server.getEndpointsMatcher())
			.with(server, Customizer.withDefaults())
			.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
			.build();
	}
}
