import { createServer, type Server } from "node:https"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { NotificationVerifier } from "@tocsin/receiver"
import { verifyNodeBody } from "@tocsin/receiver/node"
import { type TestPublishedKey, verifierOfKeys } from "../test/signature/TestKey.ts"
import { makeCertificates } from "../test/egress/certificates.ts"
import { compare, type Comparison, type Contender, judge } from "./Compare.ts"
import { type ContenderProcess, cpuQuestion, startContender } from "./ContenderProcess.ts"
import type { Sink } from "./DeliveringContender.ts"
import { amount, roundsOf } from "./Length.ts"

/**
 * Signed notifications of 1 KiB over TLS to a receiver on this machine: queued, claimed, rendered, guarded and settled
 * by us, against undici's pool that encodes, signs and sends and does nothing else. Each sender is a process of its own,
 * the receiver is this one; it looks for the signature in every request and verifies one in a hundred.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const processes: Array<ContenderProcess> = []
  const { ca, cert, key } = await makeCertificates()
  const receiver = new Receiver(cert, key)
  try {
    const sink: Sink = { urls: await receiver.listen(originsCount), caPem: ca }
    const cpu = new Map<string, Array<number>>()
    const start = async (name: string, question: string): Promise<Contender> => {
      const contender = startContender(new URL("./DeliveringContender.ts", import.meta.url), question)
      processes.push(contender)
      receiver.trust(await contender.ask<TestPublishedKey>(question, sink))
      const cpuTimes: Array<number> = []
      cpu.set(name, cpuTimes)
      return {
        name,
        round: async () => {
          receiver.startCounting()
          const before = await contender.ask<number>(cpuQuestion)
          const microseconds = await contender.ask<number>("send", deliveriesEach)
          cpuTimes.push(((await contender.ask<number>(cpuQuestion)) - before) / deliveriesEach)
          receiver.expectExactly(deliveriesEach)
          return microseconds / deliveriesEach
        },
      }
    }
    const contenders = [await start(undiciName, "undici"), await start(tocsinName, "tocsin")]
    const title = "Delivering signed notifications of 1 KiB over TLS"
    const bounds = [{ name: tocsinName, against: undiciName, atLeast: 0.5 }]
    const byTheClock = await compare(title, contenders, { time: "wall", rounds, warmUps, bounds })
    const counted = new Map([...cpu].map(([name, times]) => [name, times.slice(warmUps)]))
    return [byTheClock, { title: `${title}, of the sender`, time: "cpu", ...judge(counted, []) }]
  } finally {
    for (const contender of processes) contender.end()
    receiver.close()
  }
}

const undiciName = "undici Pool, signing"
const tocsinName = "queue, dispatcher, guard"
const originsCount = 4
const deliveriesEach = amount(1_500, 100)
const { rounds, warmUps } = roundsOf(21, 8)

/** An HTTPS receiver that answers 204 when a request is signed, and remembers what was not. */
class Receiver {
  readonly #servers: Array<Server> = []
  readonly #certificate: { readonly cert: string; readonly key: string }
  readonly #verifiers: Array<NotificationVerifier> = []
  #count = 0
  #refusal: string | undefined

  constructor(cert: string, key: string) {
    this.#certificate = { cert, key }
  }

  /** Listens on so many ports; answers the URL of each. */
  listen(count: number): Promise<ReadonlyArray<string>> {
    return Promise.all(Array.from({ length: count }, () => this.#listenOnce()))
  }

  #listenOnce(): Promise<string> {
    const server = createServer({ ...this.#certificate, keepAliveTimeout: 60_000 }, (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        void this.#respond(request, chunks, response)
      })
    })
    this.#servers.push(server)
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () =>
        resolve(`https://localhost:${(server.address() as AddressInfo).port}/hook`),
      )
    })
  }

  trust(key: TestPublishedKey): void {
    this.#verifiers.push(verifierOfKeys([key]))
  }

  startCounting(): void {
    this.#count = 0
  }

  expectExactly(count: number): void {
    if (this.#refusal !== undefined) throw new Error(`a notification was refused: ${this.#refusal}`)
    if (this.#count !== count) throw new Error(`${this.#count} notifications arrived instead of ${count}`)
  }

  close(): void {
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
  }

  async #respond(
    request: IncomingMessage,
    chunks: ReadonlyArray<Buffer>,
    response: ServerResponse,
  ): Promise<void> {
    this.#refusal ??= await this.#refusalOf(request, chunks)
    response.writeHead(this.#refusal === undefined ? 204 : 400).end()
  }

  async #refusalOf(request: IncomingMessage, chunks: ReadonlyArray<Buffer>): Promise<string | undefined> {
    this.#count++
    const { signature, "signature-input": input, "content-digest": digest } = request.headers
    if (signature === undefined || input === undefined || digest === undefined) return "it is not signed"
    if (this.#count % 100 !== 1) return undefined
    const body = Buffer.concat(chunks)
    const outcomes = this.#verifiers.map((verifier) => verifyNodeBody(verifier, request, body))
    return Promise.any(outcomes).then(
      () => undefined,
      (reason: AggregateError) => String(reason.errors),
    )
  }
}
