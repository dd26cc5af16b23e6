// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers;

import com.google.gson.Gson;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * What an agent plays: a user message's text is a JSON list of steps. The Go
 * package peers describes the steps, beside the type that writes them.
 */
final class Runs {
    /** A step of a script. */
    record Step(
            String Do, String state, String artifact, String text, boolean append, boolean last, long millis) {}

    /** Turns steps into the SDK's events. */
    interface Stage {
        void task(Step step);

        void status(Step step);

        void artifact(Step step);

        void message(Step step);
    }

    private static final class Run {
        volatile String onCancel = "obey";
        final CountDownLatch canceled = new CountDownLatch(1);
    }

    private static final Gson GSON = new Gson().newBuilder()
            .setFieldNamingStrategy(field -> field.getName().equals("Do") ? "do" : field.getName())
            .create();

    private final Map<String, Run> byTask = new ConcurrentHashMap<>();

    /** Plays the steps in a user message's text on a stage. */
    void play(String task, String text, Stage stage) {
        Run run = new Run();
        byTask.put(task, run);
        for (Step step : GSON.fromJson(text, Step[].class)) {
            try {
                play(run, step, stage);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void play(Run run, Step step, Stage stage) throws InterruptedException {
        switch (step.Do()) {
            case "task" -> stage.task(step);
            case "status" -> stage.status(step);
            case "artifact" -> stage.artifact(step);
            case "message" -> stage.message(step);
            case "throw" -> throw new IllegalStateException(step.text());
            case "on-cancel" -> run.onCancel = step.text();
            case "wait" -> Thread.sleep(step.millis());
            case "hang" -> run.canceled.await();
            default -> throw new IllegalArgumentException("unknown step " + step.Do());
        }
    }

    /** Cancels a run in the way that its script told. */
    void cancel(String task, Runnable publish) {
        Run run = byTask.get(task);
        switch (run.onCancel) {
            case "throw" -> throw new IllegalStateException("cannot cancel");
            case "ignore" -> { }
            default -> {
                publish.run();
                run.canceled.countDown();
            }
        }
    }
}
