import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A signing key as the platform hands it out. */
export function signingKey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { pem, privateKey, publicKey };
}

/** An authority of one's own and a certificate of it for this machine, in a folder of their own. */
export class OwnAuthority {
  private constructor(
    readonly folder: string,
    readonly authorityFile: string,
    readonly key: string,
    readonly certificate: string,
  ) {}

  static async open(): Promise<OwnAuthority> {
    const folder = await mkdtemp(join(tmpdir(), "panewatch-authority-"));
    const file = (name: string) => join(folder, name);
    await writeFile(file("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    const key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    await openssl(folder, `req -x509 ${key} -days 2 -subj /CN=tests -keyout ca.key -out ca.crt`);
    await openssl(folder, `req ${key} -subj /CN=localhost -keyout leaf.key -out leaf.csr`);
    const signed = "-CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names";
    await openssl(folder, `x509 -req -in leaf.csr ${signed} -out leaf.crt`);
    const certificate = await Bun.file(file("leaf.crt")).text();
    if (new X509Certificate(certificate).subject !== "CN=localhost")
      throw new Error("the certificate is not the one that was asked for");
    return new OwnAuthority(
      folder,
      file("ca.crt"),
      await Bun.file(file("leaf.key")).text(),
      certificate,
    );
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function openssl(cwd: string, words: string): Promise<void> {
  const argv = ["openssl", ...words.split(" ")];
  const { exited, stderr } = Bun.spawn(argv, { cwd, stderr: "pipe", stdout: "ignore" });
  const complaint = await new Response(stderr).text();
  if ((await exited) !== 0) throw new Error(`${words}: ${complaint}`);
}
