# The server in an image of its own: docker build -t cantik-serve . && docker run -p 8000:8000 -v "$PWD/models:/models:ro" cantik-serve
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    g++ cmake ninja-build libprotozero-dev libboost-dev libsimdjson-dev libnghttp2-dev libssl-dev
COPY . /cantik
RUN cmake -S /cantik -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCANTIK_BUILD_TESTS=OFF -DCANTIK_BUILD_EXAMPLES=OFF \
    && cmake --build /build --target cantik-serve \
    && cmake --install /build --prefix /usr --strip --component library \
    && cmake --install /build --prefix /usr --strip --component serve \
    && ldconfig \
    && /cantik/tools/program_root.sh /usr/bin/cantik-serve /image

# Nothing but the program and its libraries.
FROM scratch
COPY --from=build /image /
USER 65534
EXPOSE 8000
ENTRYPOINT ["/usr/bin/cantik-serve"]
CMD ["--models", "/models", "--address", "0.0.0.0", "--port", "8000"]
