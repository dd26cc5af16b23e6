// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers;

import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.tasks.AgentEmitter;
import io.a2a.spec.Message;
import io.a2a.spec.Task;
import io.a2a.spec.TaskState;
import io.a2a.spec.TaskStatus;
import io.a2a.spec.TextPart;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Locale;

/** Plays scripts. */
@ApplicationScoped
class Player implements AgentExecutor {
    private final Runs runs = new Runs();

    @Override
    public void execute(RequestContext context, AgentEmitter emitter) {
        String text = ((TextPart) context.getMessage().parts().get(0)).text();
        runs.play(context.getTaskId(), text, new Stage(context, emitter));
    }

    @Override
    public void cancel(RequestContext context, AgentEmitter emitter) {
        runs.cancel(context.getTaskId(), emitter::cancel);
    }

    private record Stage(RequestContext context, AgentEmitter emitter) implements Runs.Stage {
        @Override
        public void task(Runs.Step step) {
            Task known = context.getTask();
            Task.Builder task = known != null
                    ? Task.builder(known)
                    : emitter.taskBuilder().history(context.getMessage());
            emitter.addTask(task.status(new TaskStatus(state(step))).build());
        }

        @Override
        public void status(Runs.Step step) {
            Message message = step.text() == null
                    ? null
                    : emitter.newAgentMessage(List.of(new TextPart(step.text())), null);
            emitter.updateStatus(state(step), message);
        }

        @Override
        public void artifact(Runs.Step step) {
            emitter.addArtifact(
                    List.of(new TextPart(step.text())), step.artifact(), null, null, step.append(), step.last());
        }

        @Override
        public void message(Runs.Step step) {
            emitter.sendMessage(emitter.messageBuilder()
                    .taskId(null)
                    .parts(new TextPart(step.text()))
                    .build());
        }

        private static TaskState state(Runs.Step step) {
            return TaskState.valueOf("TASK_STATE_" + step.state().replace('-', '_').toUpperCase(Locale.ROOT));
        }
    }
}
