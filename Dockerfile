# Images of the guard, which is the default target, and of the example agent and its
# traffic. "make image" builds the same ones without Docker.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0
RUN go build -o /bin/agent ./examples/agent && go build -o /bin/traffic ./examples/traffic
RUN go build -o /bin/caddy-a2a-guard .

FROM scratch AS agent
COPY --from=build /bin/agent /agent
USER 65532:65532
ENTRYPOINT ["/agent"]

FROM scratch AS traffic
COPY --from=build /bin/traffic /traffic
USER 65532:65532
ENTRYPOINT ["/traffic"]

FROM scratch AS guard
COPY --from=build /bin/caddy-a2a-guard /caddy-a2a-guard
USER 65532:65532
ENTRYPOINT ["/caddy-a2a-guard"]
CMD ["run", "--config", "/etc/caddy/Caddyfile"]
