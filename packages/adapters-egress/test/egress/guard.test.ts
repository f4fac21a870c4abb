import { Resolver } from "node:dns/promises"
import { Socket, connect } from "node:net"
import { TransportFailure, type WebhookResponse } from "@tocsin/domain/ports"
import type { Dial } from "../../src/GuardedConnector.ts"
import type { EgressOptions } from "@tocsin/adapters-egress"
import { make } from "../../src/WebhookTransportUndici.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterEach, describe, expect, it, vi } from "vitest"
import { rawReceiver, requestTo } from "../../../../test/egress/receiver.ts"

/** One request through a transport of its own. */
const sendOnce = (
  options: Partial<EgressOptions>,
  href: string,
): Promise<WebhookResponse | TransportFailure> =>
  make({ allowCidrs: [], ...options }).pipe(
    Effect.flatMap((transport) => Effect.result(transport.send(requestTo(href)))),
    Effect.map(Result.merge),
    Effect.scoped,
    Effect.runPromise,
  )

/** A dialler that reaches nobody, and whom it was asked for. */
const deadDial = (): { dial: Dial; dialled: Array<string> } => {
  const dialled: Array<string> = []
  return {
    dialled,
    dial: ({ host, port }) => {
      dialled.push(`${host} ${port}`)
      return new Socket()
    },
  }
}

/** A dialler whose sockets fail at once with a code. */
const failingDial =
  (code: string): Dial =>
  () => {
    const socket = new Socket()
    queueMicrotask(() => socket.destroy(Object.assign(new Error("connect 10.1.2.3:443"), { code })))
    return socket
  }

const rejecting = (code: string) => () =>
  Promise.reject(Object.assign(new Error("queryA secret.example"), { code }))

const publicName = "https://hooks.example.com/in"

afterEach(() => {
  vi.restoreAllMocks()
})

describe("the guard", () => {
  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1:8443/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://168.63.129.16/",
    "https://[fd00:ec2::254]/",
  ])("spec/delivery §11: a literal address is classified before anything is dialled: %s", async (href) => {
    const { dial, dialled } = deadDial()
    const outcome = await sendOnce({ dial, resolve: () => Promise.reject(new Error("never asked")) }, href)
    expect(outcome).toMatchObject({
      reason: "address_blocked",
      isInfrastructureFault: false,
      isReusedSocketReset: false,
    })
    expect(dialled).toEqual([])
  })

  it.each([
    ["alone", ["10.0.0.1"]],
    ["before a public one", ["127.0.0.1", "8.8.8.8"]],
    ["after a public one", ["8.8.8.8", "169.254.169.254"]],
    ["of the other family", ["8.8.8.8", "::1"]],
    ["hidden in IPv6", ["2606:4700:4700::1111", "::ffff:10.0.0.1"]],
    ["that cannot be read", ["8.8.8.8", "fe80::1%eth0"]],
  ])(
    "spec/delivery §11: a name is rejected when any of its addresses is forbidden: %s",
    async (_, addresses) => {
      const { dial, dialled } = deadDial()
      const outcome = await sendOnce({ dial, resolve: () => Promise.resolve(addresses) }, publicName)
      expect(outcome).toMatchObject({ reason: "address_blocked" })
      expect(dialled).toEqual([])
    },
  )

  it("spec/delivery §11: a name is looked up once, and a change of mind afterwards changes nothing", async () => {
    const { dial, dialled } = deadDial()
    const answers = [["8.8.8.8"], ["127.0.0.1"]]
    let asked = 0
    const resolve = () => Promise.resolve(answers[asked++] ?? [])
    const outcome = await sendOnce({ dial, resolve, connectTimeoutMs: 20 }, publicName)
    expect(outcome).toMatchObject({ reason: "connect_timeout" })
    expect(asked).toBe(1)
    expect(dialled).toEqual(["8.8.8.8 443"])
  })

  it("spec/delivery §11: a connection to a peer outside the checked addresses is closed before a byte is sent", async () => {
    let received = 0
    const receiver = await rawReceiver({}, () => {
      received += 1
    })
    const dial: Dial = () => connect({ host: "127.0.0.1", port: receiver.port })
    const outcome = await sendOnce({ dial, resolve: () => Promise.resolve(["8.8.8.8"]) }, publicName)
    expect(outcome).toMatchObject({ reason: "address_blocked" })
    expect(received).toBe(0)
    expect(receiver.sockets.every((socket) => socket.bytesRead === 0)).toBe(true)
    await receiver.close()
  })

  it("addresses are dialled in turn of their families, at most six of them", async () => {
    const dialled: Array<string> = []
    const dial: Dial = ({ host, port }) => {
      dialled.push(host)
      return failingDial("ECONNREFUSED")({ host, port })
    }
    const ipv6 = ["2606:4700::1", "2606:4700::2", "2606:4700::3", "2606:4700::4"]
    const ipv4 = ["8.8.8.1", "8.8.8.2"]
    const outcome = await sendOnce({ dial, resolve: () => Promise.resolve([...ipv6, ...ipv4]) }, publicName)
    expect(outcome).toMatchObject({ reason: "connect_refused" })
    expect(dialled).toEqual([
      "8.8.8.1",
      "2606:4700::1",
      "8.8.8.2",
      "2606:4700::2",
      "2606:4700::3",
      "2606:4700::4",
    ])
  })

  it("spec/delivery §4: an address that never accepts is a connect time-out, and its socket is closed", async () => {
    const sockets: Array<Socket> = []
    const dial: Dial = () => {
      const socket = new Socket()
      sockets.push(socket)
      return socket
    }
    const outcome = await sendOnce(
      { dial, connectTimeoutMs: 20, resolve: () => Promise.resolve(["8.8.8.8"]) },
      publicName,
    )
    expect(outcome).toMatchObject({
      reason: "connect_timeout",
      detail: "the receiver did not accept the connection in time",
    })
    expect(sockets.map((socket) => socket.destroyed)).toEqual([true])
  })

  it("spec/delivery §4: a look-up that takes too long is a time-out of its own", async () => {
    const { dial, dialled } = deadDial()
    const never = () => new Promise<ReadonlyArray<string>>(() => {})
    const outcome = await sendOnce({ dial, resolve: never, lookupTimeoutMs: 20 }, publicName)
    expect(outcome).toMatchObject({ reason: "dns_timeout" })
    expect(dialled).toEqual([])
  })

  it("spec/delivery §4: the total deadline covers the look-up", async () => {
    const never = () => new Promise<ReadonlyArray<string>>(() => {})
    expect(await sendOnce({ resolve: never, deadlineMs: 20 }, publicName)).toMatchObject({
      reason: "dns_timeout",
    })
  })

  it("spec/delivery §4: the total deadline covers connecting", async () => {
    const { dial } = deadDial()
    const outcome = await sendOnce(
      { dial, resolve: () => Promise.resolve(["8.8.8.8"]), deadlineMs: 20 },
      publicName,
    )
    expect(outcome).toMatchObject({ reason: "connect_timeout" })
  })

  it.each([
    ["ENOTFOUND", "dns_not_found", false],
    ["ENODATA", "dns_not_found", false],
    ["ESERVFAIL", "dns_not_found", false],
    ["ETIMEOUT", "dns_timeout", false],
    ["EAI_AGAIN", "dns_timeout", false],
    ["ECONNREFUSED", "sender_unavailable", true],
  ])("a look-up that fails with %s is %s", async (code, reason, isInfrastructureFault) => {
    const outcome = await sendOnce({ resolve: rejecting(code) }, publicName)
    expect(outcome).toMatchObject({ reason, isInfrastructureFault })
    expect(outcome).toHaveProperty("detail", expect.not.stringMatching(/secret|query/))
  })

  it("a name without addresses is not found", async () => {
    expect(await sendOnce({ resolve: () => Promise.resolve([]) }, publicName)).toMatchObject({
      reason: "dns_not_found",
    })
  })

  it.each([
    ["ECONNREFUSED", "connect_refused", false],
    ["EHOSTUNREACH", "connect_refused", false],
    ["ENETUNREACH", "connect_refused", false],
    ["ETIMEDOUT", "connect_timeout", false],
    ["EMFILE", "sender_unavailable", true],
    ["EADDRNOTAVAIL", "sender_unavailable", true],
  ])(
    "a connection that fails with %s is %s, without an address in its words",
    async (code, reason, isFault) => {
      const resolve = () => Promise.resolve(["8.8.8.8"])
      const outcome = await sendOnce({ dial: failingDial(code), resolve }, publicName)
      expect(outcome).toBeInstanceOf(TransportFailure)
      expect(outcome).toMatchObject({ reason, isInfrastructureFault: isFault })
      expect(outcome).toHaveProperty(
        "detail",
        expect.not.stringMatching(/[0-9]\.[0-9]|example|Error|E[A-Z]{4}/),
      )
    },
  )

  it.each([
    ["both families", ["8.8.8.8"], ["2606:4700::1"], ["8.8.8.8", "2606:4700::1"]],
    ["IPv4 alone", ["8.8.8.8"], "ENODATA", ["8.8.8.8"]],
    ["IPv6 alone", "ENODATA", ["2606:4700::1"], ["2606:4700::1"]],
    ["IPv6 that never answers", ["8.8.8.8"], "ETIMEOUT", ["8.8.8.8"]],
    ["one forbidden among both", ["8.8.8.8"], ["fd00::1"], "address_blocked"],
    ["none", "ENOTFOUND", "ENOTFOUND", "dns_not_found"],
    ["servers that never answer", "ETIMEOUT", "ETIMEOUT", "dns_timeout"],
  ] as const)("name servers are asked for both families: %s", async (_, ipv4, ipv6, expected) => {
    const answer = (family: ReadonlyArray<string> | string) => (): Promise<Array<string>> =>
      typeof family === "string" ? rejecting(family)() : Promise.resolve([...family])
    vi.spyOn(Resolver.prototype, "resolve4").mockImplementation(answer(ipv4) as never)
    vi.spyOn(Resolver.prototype, "resolve6").mockImplementation(answer(ipv6) as never)
    const dialled: Array<string> = []
    const dial: Dial = (target) => {
      dialled.push(target.host)
      return failingDial("ECONNREFUSED")(target)
    }
    const outcome = await sendOnce({ dial }, publicName)
    expect(dialled.length > 0 ? dialled : outcome).toEqual(
      typeof expected === "string" ? expect.objectContaining({ reason: expected }) : expected,
    )
  })
})
