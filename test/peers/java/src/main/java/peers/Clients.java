// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.util.JsonFormat;
import io.a2a.client.Client;
import io.a2a.client.ClientEvent;
import io.a2a.client.MessageEvent;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.config.ClientConfig;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfig;
import io.a2a.client.transport.spi.interceptors.ClientCallContext;
import io.a2a.grpc.utils.ProtoUtils;
import io.a2a.spec.A2AError;
import io.a2a.spec.AgentCard;
import io.a2a.spec.Message;
import io.a2a.spec.StreamingEventKind;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TaskStatusUpdateEvent;
import io.a2a.spec.TextPart;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * The client behind standard input and output. Each input line is one call; lines go
 * out as its events come, and a last one tells how it ended. Calls run side by side.
 * The Go package peers describes calls, events and ends.
 */
public final class Clients {
    private static final Gson GSON = new Gson();

    /** The client names no protocol version by itself, which stands for 0.3. */
    private static final ClientCallContext VERSION =
            new ClientCallContext(Map.of(), Map.of("A2A-Version", "1.0"));

    private Clients() {}

    /** A call as it comes in. */
    private record Call(
            int id, String verb, String url, String text, String task, String context, long millis) {}

    public static void main(String[] args) throws IOException {
        ExecutorService calls = Executors.newCachedThreadPool();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            Call call = GSON.fromJson(line, Call.class);
            calls.execute(() -> run(call));
        }
        Runtime.getRuntime().halt(0); // whatever calls are still open
    }

    private static void run(Call call) {
        var ended = new CompletableFuture<Void>();
        ExecutorService library = Executors.newSingleThreadExecutor();
        library.execute(() -> {
            try {
                make(call, ended);
            } catch (Throwable error) {
                ended.completeExceptionally(error);
            }
        });
        try {
            ended.get(call.millis(), TimeUnit.MILLISECONDS);
            print(call, "end", end("ok"));
        } catch (ExecutionException error) {
            print(call, "end", describe(error.getCause()));
        } catch (TimeoutException | InterruptedException error) {
            print(call, "end", end("timeout"));
        } finally {
            library.shutdownNow();
        }
    }

    private static void make(Call call, CompletableFuture<Void> ended) throws Exception {
        Client client = Client.builder(Cards.at(call.url()))
                .clientConfig(ClientConfig.builder()
                        .setStreaming(!call.verb().equals("send"))
                        .build())
                .withTransport(JSONRPCTransport.class, new JSONRPCTransportConfig())
                .build();
        List<BiConsumer<ClientEvent, AgentCard>> each = List.of((event, card) -> {
            if (ended.isDone()) {
                return;
            }
            print(call, event(event));
            // The library then closes the stream, and mistakes that for an error.
            if (isFinal(event)) {
                ended.complete(null);
            }
        });
        switch (call.verb()) {
            case "stream" -> client.sendMessage(message(call), each, error -> end(ended, error), VERSION);
            case "subscribe" -> client.subscribeToTask(
                    new TaskIdParams(call.task()), each, error -> end(ended, error), VERSION);
            case "send" -> {
                client.sendMessage(message(call), each, null, VERSION);
                ended.complete(null);
            }
            case "get" -> {
                print(call, client.getTask(new TaskQueryParams(call.task()), VERSION));
                ended.complete(null);
            }
            case "cancel" -> {
                print(call, client.cancelTask(new TaskIdParams(call.task()), VERSION));
                ended.complete(null);
            }
            default -> throw new IllegalArgumentException("unknown verb " + call.verb());
        }
    }

    /** The library tells the end of a stream as no error. */
    private static void end(CompletableFuture<Void> ended, Throwable error) {
        if (error == null) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(error);
        }
    }

    private static Message message(Call call) {
        Message.Builder message = Message.builder()
                .role(Message.Role.ROLE_USER)
                .messageId(UUID.randomUUID().toString())
                .parts(new TextPart(call.text()));
        if (!call.task().isEmpty()) {
            message.taskId(call.task()).contextId(call.context());
        }
        return message.build();
    }

    private static boolean isFinal(ClientEvent event) {
        return event instanceof TaskEvent task && task.getTask().status().state().isFinal()
                || event instanceof TaskUpdateEvent update
                        && update.getUpdateEvent() instanceof TaskStatusUpdateEvent status
                        && status.isFinal();
    }

    private static StreamingEventKind event(ClientEvent event) {
        if (event instanceof TaskUpdateEvent update) {
            return (StreamingEventKind) update.getUpdateEvent();
        }
        if (event instanceof TaskEvent task) {
            return task.getTask();
        }
        return ((MessageEvent) event).getMessage();
    }

    private static void print(Call call, StreamingEventKind event) {
        try {
            print(call, "event", JsonParser.parseString(JsonFormat.printer()
                            .omittingInsignificantWhitespace()
                            .print(ProtoUtils.ToProto.taskOrMessageStream(event)))
                    .getAsJsonObject());
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private static void print(Call call, String member, JsonObject value) {
        var line = new JsonObject();
        line.addProperty("id", call.id());
        line.add(member, value);
        System.out.println(GSON.toJson(line));
    }

    private static JsonObject end(String how) {
        var end = new JsonObject();
        end.addProperty("how", how);
        return end;
    }

    /** The innermost error that bears a JSON-RPC code, or the error itself. */
    private static JsonObject describe(Throwable error) {
        JsonObject end = end("error");
        Throwable told = error;
        for (Throwable e = error; e != null; e = e.getCause()) {
            if (e instanceof A2AError known) {
                end.addProperty("code", known.getCode());
                told = known;
            }
        }
        end.addProperty("type", told.getClass().getSimpleName());
        end.addProperty("message", String.valueOf(told.getMessage()));
        return end;
    }
}
