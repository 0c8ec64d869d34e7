import { html, raw } from "hono/html";
import { sha256 } from "../lib/digest.ts";

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:34rem;margin:12vh auto;padding:0 1.25rem}
h1{font-size:1.3rem}
pre{padding:.75rem 1rem;border:1px solid;border-radius:.6rem;overflow-x:auto}`;

/** Not in the template: its blanks would be part of what is hashed. */
const STYLE_TAG = raw(`<style>${STYLE}</style>`);

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${sha256(STYLE).toString("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Whether a person opens this address in a browser: a program is told in JSON. */
export function isOpenedByPerson(method: string, headers: Headers): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers.get("sec-fetch-mode");
  // Only pages of HTTPS and of loopback send it.
  if (mode !== null) return mode === "navigate";
  return (headers.get("accept") ?? "").includes("text/html");
}

/**
 * The refusal of a browser in words: what is missing, and what mends it. `reply` is the refusal as a
 * program gets it, whose status and headers stay; `host` is what the browser called this server.
 */
export async function refusedPage(reply: Response, host: string): Promise<Response> {
  const headers = new Headers(reply.headers);
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("content-security-policy", POLICY);
  const { title, body } = reply.status === 401 ? needsToken() : unknownHost(host);
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>panewatch: ${title}</title>
        ${STYLE_TAG}
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`;
  return new Response(String(page), { status: reply.status, headers });
}

const needsToken = () => ({
  title: "This address needs the token",
  body: html`<p>
    It answers programs that send the token. <a href="/">Open panewatch</a> to sign in.
  </p>`,
});

const unknownHost = (host: string) => ({
  title: "This address is not open yet",
  body: html`
    <p>
      panewatch runs here. Without a token it answers only under the names of its own machine, so
      that no foreign web page can reach your terminals, and not as ${host}.
    </p>
    <p>On that machine, this makes a token and shows a code that lets this device in:</p>
    <pre><code>panewatch phone</code></pre>
  `,
});
