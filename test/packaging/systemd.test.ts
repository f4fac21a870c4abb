import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { read, root } from "../deploy/Files.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { startReceiver } from "../e2e/https-receiver.ts"
import { freePort } from "../FreePort.ts"
import { copyTocsin } from "../server/child-process.ts"
import { editorOf, environmentOf } from "../server/organizations.ts"
import { folder, run, startInNamespaces } from "./Tools.ts"

const unit = join(root, "deploy/systemd/tocsin.service")

describe("the systemd unit", () => {
  it("is accepted by systemd-analyze verify", async () => {
    expect(await run("systemd-analyze", ["verify", "--man=no", unit])).toBe("")
  })

  it("has an exposure level of at most 1.5 of 10", async () => {
    const report = await run("systemd-analyze", [
      "security",
      "--no-pager",
      "--offline=true",
      "--threshold=15",
      unit,
    ])
    expect(report).toMatch(/Overall exposure level for tocsin\.service: 1\.\d OK/)
  })

  it("has restrictions under which the server starts, sends notifications and stops", async () => {
    const certificates = await makeCertificates()
    const receiver = await startReceiver(certificates)
    chmodSync(folder, 0o755)
    const [server, caFile] = [join(folder, "tocsin.mjs"), join(folder, "ca.pem")]
    copyTocsin(folder)
    writeFileSync(caFile, certificates.ca)
    const PORT = await freePort()
    // What ProtectSystem, ProtectProc and ProcSubset do. Then the system calls and kinds of sockets are restricted.
    const setup = [
      "mount -o remount,bind,ro /",
      "mount -t proc -o subset=pid,hidepid=invisible proc /proc",
      'exec /usr/bin/python3 "$@"',
    ]
    const [, program = "", , command = ""] =
      /^ExecStart=\S+ (\S+) (\S+) (\S+)$/m.exec(read("deploy/systemd/tocsin.service")) ?? []
    expect([program, command]).toEqual(["node", "serve"])
    const sandbox = [join(root, "test/packaging/sandbox.py"), unit, program, server, command]
    const running = startInNamespaces(
      setup.join("\n"),
      sandbox,
      environmentOf(["acme"], {
        PORT,
        TOCSIN_STORE: "memory",
        TOCSIN_EGRESS_CA_FILE: caFile,
        TOCSIN_DRAIN_SECONDS: "0",
      }),
    )
    await running.until("Tocsin is listening")
    const status = readFileSync(`/proc/${running.pid()}/status`, "utf8")
    expect(status).toMatch(/^Seccomp:\t2$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)

    const editor = await editorOf([`http://127.0.0.1:${PORT}`], "acme")
    const method = methodYaml("on-call", `${receiver.url}/hook`, "templateFields: [slo_name]")
    await editor.call("PUT", "/api/apply", withSlo(method), "application/yaml")
    await editor.call("POST", "/api/alertmethods/on-call/test")
    await receiver.until(1, "/hook")
    process.kill(running.pid(), "SIGTERM")
    expect(await running.ended).toBe(0)
    await receiver.close()
  })
})
