// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers;

import io.a2a.server.PublicAgentCard;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentInterface;
import io.a2a.spec.TransportProtocol;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.List;

/** The agent's card. Clients get it with the address to call, which may be a proxy's. */
@Dependent
class Cards {
    /** The card that the SDK's handler holds itself to. */
    @Produces
    @PublicAgentCard
    @Singleton
    static AgentCard own() {
        return at("http://127.0.0.1/");
    }

    static AgentCard at(String url) {
        return AgentCard.builder()
                .name("peer")
                .description("Plays what it is told.")
                .version("1.0.0")
                .supportedInterfaces(List.of(new AgentInterface(TransportProtocol.JSONRPC.asString(), url)))
                .capabilities(AgentCapabilities.builder().streaming(true).build())
                .defaultInputModes(List.of("text/plain"))
                .defaultOutputModes(List.of("text/plain"))
                .skills(List.of())
                .build();
    }
}
