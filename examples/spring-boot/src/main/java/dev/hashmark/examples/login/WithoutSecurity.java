package dev.hashmark.examples.login;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.Principal;
import java.util.Base64;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

// The service without Spring Security, to find what that costs: passwords are compared as they
// are. Spring's own configuration must be excluded as well, with spring.autoconfigure.exclude.
@Component
@ConditionalOnProperty(name = "login.security", havingValue = "false")
class WithoutSecurity extends OncePerRequestFilter {
	private final byte[] expected;
	private final Principal user;

	WithoutSecurity(@Value("${spring.security.user.name}") String name, @Value("${spring.security.user.password}") String password) {
		String credentials = Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
		expected = ("Basic " + credentials).getBytes(StandardCharsets.UTF_8);
		user = () -> name;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return !request.getRequestURI().startsWith("/api/");
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String given = String.valueOf(request.getHeader("Authorization"));
		if (!MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) {
			response.sendError(HttpServletResponse.SC_UNAUTHORIZED);
			return;
		}
		chain.doFilter(new HttpServletRequestWrapper(request) {
			@Override
			public Principal getUserPrincipal() {
				return user;
			}
		}, response);
	}
}
