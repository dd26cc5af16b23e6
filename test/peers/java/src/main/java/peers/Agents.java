// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers;

import com.google.gson.Gson;
import com.sun.net.httpserver.HttpServer;
import io.a2a.server.config.A2AConfigProvider;
import io.a2a.transport.jsonrpc.handler.JSONRPCHandler;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.jboss.weld.environment.se.Weld;

/**
 * Serves the agent on 127.0.0.1 and prints one JSON line with its port by protocol
 * version. Ends when its standard input does.
 */
public final class Agents {
    private Agents() {}

    public static void main(String[] args) throws IOException {
        // The reference server would declare its transport: here it is the Door.
        System.setProperty("io.a2a.transport.skipValidation", "true");
        var beans = new Weld().initialize();
        var door = new Door(beans.select(JSONRPCHandler.class).get());
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", door);
        server.start();
        System.out.println(new Gson().toJson(Map.of("1.0", server.getAddress().getPort())));
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(0); // whatever scripts still hang
    }

    /** The SDK's own settings, but for room for all scripts that hang at once, and less patience. */
    @Alternative
    @Priority(1)
    @ApplicationScoped
    static class Settings implements A2AConfigProvider {
        private static final Map<String, String> VALUES = Map.of(
                "a2a.blocking.agent.timeout.seconds", "30",
                "a2a.blocking.consumption.timeout.seconds", "1",
                "a2a.executor.core-pool-size", "200",
                "a2a.executor.max-pool-size", "200",
                "a2a.executor.keep-alive-seconds", "60",
                "a2a.executor.queue-capacity", "100");

        @Override
        public String getValue(String name) {
            return VALUES.get(name);
        }

        @Override
        public Optional<String> getOptionalValue(String name) {
            return Optional.ofNullable(getValue(name));
        }
    }
}
