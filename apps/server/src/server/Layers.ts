import * as Layer from "effect/Layer"
import * as AccessLog from "@tocsin/adapters-http/frame/AccessLog"
import { ApiOptions } from "@tocsin/adapters-http/frame/ApiOptions"
import { DefinitionOptions } from "@tocsin/adapters-http/documents/DefinitionOptions"
import * as ConsoleFiles from "@tocsin/adapters-http/console-files/ConsoleFiles"
import * as CryptoNode from "@tocsin/adapters-http/crypto/CryptoNode"
import * as MetricSourcePrometheus from "@tocsin/adapters-http/egress/MetricSourcePrometheus"
import * as WebhookTransportUndici from "@tocsin/adapters-http/egress/WebhookTransportUndici"
import * as SecretBoxNode from "@tocsin/adapters-http/crypto/SecretBoxNode"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import * as PgStores from "@tocsin/adapters-pg/PgStores"
import type { AddressPolicy } from "@tocsin/domain/alert-method/AddressPolicy"
import type { MetricSource } from "@tocsin/domain/data-source/MetricSource"
import type { WebhookTransport } from "@tocsin/domain/notification/WebhookTransport"
import { CountsRetention } from "@tocsin/domain/counts/CountsRetention"
import { consoleDirectory } from "./ConsoleDirectory.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import type { OpenStore } from "../store/Store.ts"
import { version } from "../config/Version.ts"

/** What the layers need beside the configuration: what was read or decided while starting. */
export interface Surroundings {
  /** Where the service is reached from outside. */
  readonly baseUrl: string
  readonly addressPolicy: AddressPolicy
  /** Certificates that webhooks may present beside the public ones, as PEM. */
  readonly egressCaPem: string | undefined
  /** Writes the lines of the access log; absent: no access log. */
  readonly writeAccessLog: ((lines: string) => void) | undefined
  /** What sends webhooks instead of the guarded transport, for tests. */
  readonly transport?: Layer.Layer<WebhookTransport>
  /** What reads indicators instead of the guarded source, for tests. */
  readonly metricSource?: Layer.Layer<MetricSource>
}

/** Every port of the domain on its adapter, from what keeps to what faces outwards. */
export const serverLayer = (
  config: ServerConfig,
  { connection, masterKeys }: OpenStore,
  surroundings: Surroundings,
) => {
  const kept =
    connection === undefined
      ? MemoryStores.layer
      : PgStores.layer({ connection }).pipe(Layer.provide(SecretBoxNode.layer(masterKeys)))
  const stores = kept.pipe(Layer.provide(Layer.succeed(CountsRetention, config.countsRetentionDays)))

  const crypto = CryptoNode.layer(masterKeys.current, masterKeys.previous)

  const guard = { allowCidrs: config.egressAllowCidrs, caPem: surroundings.egressCaPem, version }
  const egress = Layer.mergeAll(
    surroundings.transport ?? WebhookTransportUndici.layer(guard),
    surroundings.metricSource ?? MetricSourcePrometheus.layer(guard),
  )

  const options = Layer.mergeAll(
    Layer.succeed(ApiOptions, {
      baseUrl: surroundings.baseUrl,
      findSloPerSecond: config.findSloPerSecond,
      trustedProxies: config.trustedProxies,
      isV1Served: config.v1Api,
    }),
    Layer.succeed(DefinitionOptions, {
      vendorPrefix: config.vendorPrefix,
      addressPolicy: surroundings.addressPolicy,
    }),
    ConsoleFiles.layer(consoleDirectory()),
    surroundings.writeAccessLog === undefined ? Layer.empty : AccessLog.layer(surroundings.writeAccessLog),
  )

  return Layer.mergeAll(crypto, egress, options).pipe(Layer.provideMerge(stores))
}
