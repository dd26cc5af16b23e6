// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.a2a.common.A2AHeaders;
import io.a2a.grpc.utils.JSONRPCUtils;
import io.a2a.grpc.utils.ProtoUtils;
import io.a2a.jsonrpc.common.json.IdJsonMappingException;
import io.a2a.jsonrpc.common.json.InvalidParamsJsonMappingException;
import io.a2a.jsonrpc.common.json.JsonProcessingException;
import io.a2a.jsonrpc.common.json.MethodNotFoundJsonMappingException;
import io.a2a.jsonrpc.common.wrappers.A2ARequest;
import io.a2a.jsonrpc.common.wrappers.A2AResponse;
import io.a2a.jsonrpc.common.wrappers.CancelTaskRequest;
import io.a2a.jsonrpc.common.wrappers.GetTaskRequest;
import io.a2a.jsonrpc.common.wrappers.SendMessageRequest;
import io.a2a.jsonrpc.common.wrappers.SendStreamingMessageRequest;
import io.a2a.jsonrpc.common.wrappers.SubscribeToTaskRequest;
import io.a2a.server.ServerCallContext;
import io.a2a.server.auth.UnauthenticatedUser;
import io.a2a.server.util.sse.SseFormatter;
import io.a2a.spec.A2AError;
import io.a2a.spec.InvalidParamsError;
import io.a2a.spec.JSONParseError;
import io.a2a.spec.MethodNotFoundError;
import io.a2a.spec.Task;
import io.a2a.transport.jsonrpc.handler.JSONRPCHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;

/**
 * HTTP before the SDK's JSON-RPC handler, as its reference server has it: the SDK
 * reads requests, calls the agent and writes answers and events.
 */
final class Door implements HttpHandler {
    private final JSONRPCHandler handler;

    Door(JSONRPCHandler handler) {
        this.handler = handler;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var context = new ServerCallContext(
                    UnauthenticatedUser.INSTANCE,
                    new HashMap<>(),
                    Set.of(),
                    exchange.getRequestHeaders().getFirst(A2AHeaders.X_A2A_VERSION));
            A2ARequest<?> request;
            try {
                request = JSONRPCUtils.parseRequestBody(body, "");
            } catch (InvalidParamsJsonMappingException e) {
                fail(exchange, e.getId(), new InvalidParamsError(null, e.getMessage(), null));
                return;
            } catch (MethodNotFoundJsonMappingException e) {
                fail(exchange, e.getId(), new MethodNotFoundError(null, e.getMessage(), null));
                return;
            } catch (IdJsonMappingException e) {
                fail(exchange, e.getId(), new io.a2a.spec.InvalidRequestError(null, e.getMessage(), null));
                return;
            } catch (JsonProcessingException e) {
                fail(exchange, null, new JSONParseError(e.getMessage()));
                return;
            }
            call(exchange, request, context);
        }
    }

    private void call(HttpExchange exchange, A2ARequest<?> call, ServerCallContext context) throws IOException {
        if (call instanceof SendStreamingMessageRequest request) {
            stream(exchange, context, handler.onMessageSendStream(request, context));
        } else if (call instanceof SubscribeToTaskRequest request) {
            stream(exchange, context, handler.onSubscribeToTask(request, context));
        } else if (call instanceof SendMessageRequest request) {
            var response = handler.onMessageSend(request, context);
            answer(exchange, response, () -> ProtoUtils.ToProto.taskOrMessage(response.getResult()));
        } else if (call instanceof GetTaskRequest request) {
            answerTask(exchange, handler.onGetTask(request, context));
        } else if (call instanceof CancelTaskRequest request) {
            answerTask(exchange, handler.onCancelTask(request, context));
        } else {
            fail(exchange, call.getId(), new io.a2a.spec.UnsupportedOperationError());
        }
    }

    private static void answerTask(HttpExchange exchange, A2AResponse<Task> response) throws IOException {
        answer(exchange, response, () -> ProtoUtils.ToProto.task(response.getResult()));
    }

    private interface Result {
        com.google.protobuf.MessageOrBuilder proto();
    }

    private static void answer(HttpExchange exchange, A2AResponse<?> response, Result result) throws IOException {
        if (response.getError() != null) {
            fail(exchange, response.getId(), response.getError());
        } else {
            json(exchange, JSONRPCUtils.toJsonRPCResultResponse(response.getId(), result.proto()));
        }
    }

    private static void fail(HttpExchange exchange, Object id, A2AError error) throws IOException {
        json(exchange, JSONRPCUtils.toJsonRPCErrorResponse(id, error));
    }

    private static void json(HttpExchange exchange, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Writes each event as it comes, until the SDK ends the stream or the client leaves. */
    private static void stream(
            HttpExchange exchange, ServerCallContext context, Flow.Publisher<? extends A2AResponse<?>> events)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        var ended = new CountDownLatch(1);
        events.subscribe(new Flow.Subscriber<A2AResponse<?>>() {
            private Flow.Subscription upstream;
            private long sent;

            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                upstream = subscription;
                upstream.request(1);
            }

            @Override
            public void onNext(A2AResponse<?> event) {
                try {
                    out.write(SseFormatter.formatResponseAsSSE(event, sent++).getBytes(StandardCharsets.UTF_8));
                    out.flush();
                    upstream.request(1);
                } catch (IOException e) {
                    context.invokeEventConsumerCancelCallback();
                    upstream.cancel();
                    ended.countDown();
                }
            }

            @Override
            public void onError(Throwable error) {
                ended.countDown();
            }

            @Override
            public void onComplete() {
                ended.countDown();
            }
        });
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
