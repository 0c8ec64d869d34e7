import net from "node:net";
import tls from "node:tls";
import { OwnAuthority } from "./push-keys.ts";

/** HTTPS on a port of its own that leads to a port of this machine, once `target` is known. */
export async function tlsProxy() {
  const authority = await OwnAuthority.open();
  const proxy = { port: 0, target: 0, close: () => Promise.resolve() };
  const open = new Set<net.Socket>();
  const { key, certificate: cert } = authority;
  const server = tls.createServer({ key, cert }, (client) => {
    const upstream = net.connect(proxy.target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      // The other side learns of an end by its own.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  proxy.port = typeof address === "object" && address !== null ? address.port : 0;
  proxy.close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await authority.close();
  };
  return proxy;
}
