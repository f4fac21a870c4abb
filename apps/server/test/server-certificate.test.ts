import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { TlsCertificate } from "@tocsin/adapters-http/server"
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { makeCertificates } from "../../../test/egress/certificates.ts"
import { scratch } from "../../../test/server/child-process.ts"
import { readCertificate, renewedCertificates, type TlsFiles } from "../src/server/ServerCertificate.ts"

const [first, second] = await Promise.all([makeCertificates(), makeCertificates()])

const filesWith = (pems: Pick<TlsCertificate, "cert" | "key">): TlsFiles => {
  const directory = mkdtempSync(join(scratch, "certificate-"))
  const files = { certFile: join(directory, "tls.crt"), keyFile: join(directory, "tls.key") }
  writeFileSync(files.certFile, pems.cert)
  writeFileSync(files.keyFile, pems.key)
  return files
}

const problemOf = (pems: Pick<TlsCertificate, "cert" | "key">) =>
  Effect.map(Effect.flip(readCertificate(filesWith(pems))), ({ message }) => message)

describe("the certificate of the server", () => {
  it.effect("is rejected with the setting that is wrong", () =>
    Effect.gen(function* () {
      expect(yield* problemOf({ cert: "none", key: first.key })).toMatch(/^TOCSIN_TLS_CERT_FILE must contain/)
      expect(yield* problemOf({ cert: first.cert, key: "none" })).toMatch(/^TOCSIN_TLS_KEY_FILE must contain/)
      expect(yield* problemOf({ cert: first.cert, key: second.key })).toMatch(/does not belong to/)
      const missing = { certFile: join(scratch, "missing.pem"), keyFile: join(scratch, "missing.pem") }
      const { message } = yield* Effect.flip(readCertificate(missing))
      expect(message).toBe(
        `cannot read ${missing.certFile}, the file of TOCSIN_TLS_CERT_FILE (ENOENT); check the path and its permissions`,
      )
    }),
  )

  it.live("is renewed once both files were replaced, and once for each renewal", () =>
    Effect.gen(function* () {
      const files = filesWith(first)
      const events = yield* Queue.unbounded<TlsCertificate | string>()
      const logger = Logger.layer([
        Logger.make<unknown, void>(({ message }) => void Queue.offerUnsafe(events, String(message))),
      ])
      yield* renewedCertificates(files, yield* readCertificate(files)).pipe(
        Stream.runForEach((certificate) => Queue.offer(events, certificate)),
        Effect.provide(logger),
        Effect.forkScoped,
      )
      // Files are read in real time, so a minute may pass while the one before is still read.
      const minutesUntil = (event: TlsCertificate | string) =>
        TestClock.adjust("1 minute").pipe(
          Effect.andThen(Effect.promise(() => setImmediate())),
          Effect.andThen(Queue.clear(events)),
          Effect.repeat({ until: (found) => found.some((each) => Equal.equals(each, event)) }),
        )
      writeFileSync(files.certFile, second.cert)
      const failures = yield* minutesUntil("The TLS certificate cannot be renewed")
      expect(failures.filter((event) => typeof event !== "string")).toEqual([])
      writeFileSync(files.keyFile, second.key)
      yield* minutesUntil({ cert: second.cert, key: second.key })
      writeFileSync(files.certFile, first.cert)
      writeFileSync(files.keyFile, first.key)
      const renewed = yield* minutesUntil({ cert: first.cert, key: first.key })
      expect(renewed.filter((event) => typeof event !== "string")).toHaveLength(1)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer())),
  )
})
