import * as Result from "effect/Result"
import { createServer, type Server } from "node:https"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { importPublicKey } from "@tocsin/adapters-http/internal/crypto/Ed25519Node"
import { verifierFunctions } from "@tocsin/adapters-http/internal/crypto/VerifierNode"
import { pemToPublicKey } from "@tocsin/domain/internal/signature/Ed25519PublicKey"
import type { PublishedKey } from "@tocsin/domain/internal/signature/SigningKeySchedule"
import { type VerifySignature, verifyRequest } from "@tocsin/domain/internal/signature/VerifyRequest"
import { makeCertificates } from "../egress/certificates.ts"
import { compare, type Comparison, type Contender, judge } from "./Compare.ts"
import { type ContenderProcess, cpuQuestion, startContender } from "./ContenderProcess.ts"
import type { Sink } from "./DeliveringContender.ts"

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
      receiver.trust(await contender.ask<PublishedKey>(question, sink))
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
const deliveriesEach = 1_500
const rounds = 21
const warmUps = 8

/** An HTTPS receiver that answers 204 when a request is signed, and remembers what was not. */
class Receiver {
  readonly #servers: Array<Server> = []
  readonly #certificate: { readonly cert: string; readonly key: string }
  readonly #keys = new Map<string, VerifySignature>()
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
        this.#refusal ??= this.#refusalOf(request, chunks)
        response.writeHead(this.#refusal === undefined ? 204 : 400).end()
      })
    })
    this.#servers.push(server)
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () =>
        resolve(`https://localhost:${(server.address() as AddressInfo).port}/hook`),
      )
    })
  }

  trust({ keyId, publicKeyPem }: PublishedKey): void {
    const publicKey = pemToPublicKey(publicKeyPem)
    if (Result.isFailure(publicKey)) throw publicKey.failure
    this.#keys.set(keyId, importPublicKey(publicKey.success))
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

  #refusalOf(request: IncomingMessage, chunks: ReadonlyArray<Buffer>): string | undefined {
    this.#count++
    const { signature, "signature-input": input, "content-digest": digest } = request.headers
    if (signature === undefined || input === undefined || digest === undefined) return "it is not signed"
    if (this.#count % 100 !== 1) return undefined
    const { rawHeaders } = request
    const verified = verifyRequest(
      {
        method: request.method ?? "",
        authority: request.headers.host ?? "",
        target: request.url ?? "",
        headers: rawHeaders.flatMap((name, index) =>
          index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
        ),
        body: Buffer.concat(chunks),
      },
      { keyOf: (keyId) => this.#keys.get(keyId), nowSeconds: Math.floor(Date.now() / 1_000) },
      verifierFunctions,
    )
    return Result.isSuccess(verified) ? undefined : verified.failure.message
  }
}
