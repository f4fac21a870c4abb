import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "../crash/CrashDatabase.ts"
import { accepts } from "./Accepts.ts"
import type { Certificates } from "../egress/certificates.ts"

/** A proxy that terminates TLS on `port` for the server at `upstreamPort` of 127.0.0.1. */
export interface ProxyOptions {
  readonly port: number
  readonly upstreamPort: number
  readonly certificates: Certificates
}

export type ProxyName = "nginx" | "caddy"

/** Starts nginx or Caddy (Debian: `apt-get install nginx-light caddy`) with the configuration of the guide. */
export const startProxy = async (
  name: ProxyName,
  { port, upstreamPort, certificates }: ProxyOptions,
): Promise<{ readonly close: () => Promise<void> }> => {
  const directory = mkdtempSync(join(tmpdir(), `tocsin-${name}-`))
  const [certFile, keyFile] = [join(directory, "tls.crt"), join(directory, "tls.key")]
  writeFileSync(certFile, certificates.cert)
  writeFileSync(keyFile, certificates.key)
  const documented = documentedConfiguration(name)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${upstreamPort}`)
    .replaceAll("/etc/nginx/tls.crt", certFile)
    .replaceAll("/etc/nginx/tls.key", keyFile)
  const configFile = join(directory, "proxy.conf")
  writeFileSync(configFile, programs[name].configuration(documented, { port, directory, certFile, keyFile }))
  const child = spawn(name, programs[name].options(configFile), {
    env: { PATH: `${process.env["PATH"]}:/usr/sbin`, HOME: directory },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let log = ""
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()))
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`${name} is needed for this test`, { cause })))
    child.once("exit", () => resolve())
  })
  await Promise.race([
    until(() => accepts(port), 10_000),
    ended.then(() => Promise.reject(new Error(`${name} ended: ${log}`))),
  ])
  return {
    close: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The block of the guide in the configuration language of the proxy. */
const documentedConfiguration = (name: ProxyName): string => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/tls.md"), "utf8")
  const language = { nginx: "nginx", caddy: "caddyfile" }[name]
  const block = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(guide)?.[1]
  if (block === undefined) throw new Error(`the guide has no configuration of ${name}`)
  return block
}

interface Files {
  readonly port: number
  readonly directory: string
  readonly certFile: string
  readonly keyFile: string
}

/** What surrounds the documented part in a test: another port, no root, and a certificate of the test. */
const programs = {
  nginx: {
    options: (file: string) => ["-c", file, "-e", "stderr"],
    configuration: (documented: string, { port, directory }: Files) => `
daemon off;
pid ${directory}/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path ${directory}/body;
    proxy_temp_path ${directory}/proxy;
    fastcgi_temp_path ${directory}/fastcgi;
    uwsgi_temp_path ${directory}/uwsgi;
    scgi_temp_path ${directory}/scgi;
${documented.replace("listen 443", `listen 127.0.0.1:${port}`)}
}
`,
  },
  caddy: {
    options: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
    configuration: (documented: string, { port, certFile, keyFile }: Files) => `
{
	admin off
	auto_https disable_redirects
}
${documented.replace("tocsin.example.com {", `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certFile} ${keyFile}`)}
`,
  },
}
