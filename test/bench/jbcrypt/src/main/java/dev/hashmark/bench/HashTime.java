package dev.hashmark.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;

import org.mindrot.jbcrypt.BCrypt;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

// The time of a hash with jBCrypt, with a new salt, as published in 2014.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class HashTime {
	@Param({ "6", "8", "10", "12" })
	int rounds;

	private final HttpClient client = HttpClient.newHttpClient();

	// Before each iteration, x/crypto times hashes of the same cost at this address while this
	// process waits, so that both are timed at the same speed of the machine.
	@Setup(Level.Iteration)
	public void other() throws IOException, InterruptedException {
		URI address = URI.create(System.getenv("HASHMARK_OTHER") + "/?cost=" + rounds);
		int status = client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding()).statusCode();
		if (status != 200) {
			throw new IOException(address + " answered " + status);
		}
	}

	@Benchmark
	public String hash() {
		return BCrypt.hashpw("correct horse battery staple", BCrypt.gensalt(rounds));
	}
}
