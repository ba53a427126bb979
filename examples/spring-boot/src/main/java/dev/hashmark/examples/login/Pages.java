package dev.hashmark.examples.login;

import java.security.Principal;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Pages {
	record Account(String name) {
	}

	@GetMapping("/healthz")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void health() {
	}

	// The page of those who logged in with the form.
	@GetMapping("/")
	String home(Principal user) {
		return "Hello " + user.getName();
	}

	// The same for programs, which authenticate in each request, as text and as JSON.
	@GetMapping("/api/user")
	String user(Principal user) {
		return user.getName();
	}

	@GetMapping("/api/account")
	Account account(Principal user) {
		return new Account(user.getName());
	}
}
