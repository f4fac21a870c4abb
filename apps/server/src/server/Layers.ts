import { participantList } from "@tocsin/domain/features"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { MailerSmtp, MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import { ApiOptions, apiWith, CryptoNode } from "@tocsin/adapters-http"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import { clientForm, clientParticipants, clientsApi } from "@tocsin/adapters-clients"
import { mcpApi } from "@tocsin/adapters-mcp"
import { prometheusApi } from "@tocsin/adapters-prometheus"
import { checkPromQl, promqlAdvisor, promqlParser } from "@tocsin/promql"
import {
  AccessLog,
  ConsoleFiles,
  HelpFiles,
  ReferencePage,
  SecretBoxNode,
} from "@tocsin/adapters-http/server"
import { MemoryStores } from "@tocsin/adapters-memory"
import { PgStores } from "@tocsin/adapters-pg"
import { CountsRetention, MinCoverage, participantsLayer, Quotas } from "@tocsin/domain"
import { DeliveriesInFlightMax } from "@tocsin/domain/adapter"
import type { AddressPolicy } from "@tocsin/domain/delivery"
import type { MetricSource, WebhookTransport } from "@tocsin/domain/ports"
import type { ServerConfig } from "../config/ServerConfig.ts"
import type { OpenStore } from "../store/Store.ts"
import { replacePorts, type StoreModule } from "../store/StoreModule.ts"
import { formatAccessLine } from "../terminal/LogFormat.ts"
import { version } from "../config/Version.ts"

/** The API with every feature that the server has. */
export const api = apiWith([clientsApi, prometheusApi, mcpApi])

export interface ServerOverrides {
  /** PEM certificates that outbound connections trust, in addition to the public certificates and the certificates of the configuration. */
  readonly egressCaPem?: string | undefined
  readonly writeAccessLog?: (lines: string) => void
  readonly transport?: Layer.Layer<WebhookTransport>
  readonly metricSource?: Layer.Layer<MetricSource>
}

export const serverLayer = (
  config: ServerConfig,
  { connection, masterKeys }: OpenStore,
  host: ServerOverrides & {
    readonly baseUrl: string
    readonly addressPolicy: AddressPolicy
    /** Its ports replace the others. */
    readonly storeModule: StoreModule | undefined
  },
) => {
  const database =
    connection === undefined
      ? MemoryStores.layer
      : PgStores.layer({
          connection,
          connectionsMax: config.databasePoolSize,
          migrates: config.migrates,
        })
  const settings = Layer.mergeAll(
    Layer.succeed(CountsRetention, config.countsRetentionDays),
    Layer.succeed(MinCoverage, config.reportMinCoverage / 100),
    Layer.succeed(DeliveriesInFlightMax, config.deliveriesInFlight),
  )
  const participants = [
    ...participantList,
    ...clientParticipants({ allowUnsupported: config.allowsUnsupported }),
  ]
  const crypto = CryptoNode.layer(masterKeys.current, masterKeys.previous)

  const guard = { allowCidrs: config.egressAllowCidrs, caPem: host.egressCaPem, version }
  const egress = Layer.mergeAll(
    host.transport ?? WebhookTransportUndici.layer(guard),
    host.metricSource ?? MetricSourcePrometheus.layer(guard),
    config.smtp === undefined ? Layer.empty : MailerSmtp.layer({ ...config.smtp, caPem: host.egressCaPem }),
  )

  const stores = Layer.merge(database, egress)
  const { storeModule } = host
  const ports = participantsLayer(participants).pipe(
    Layer.provideMerge(
      storeModule === undefined
        ? Layer.provideMerge(crypto, stores)
        : replacePorts(storeModule, stores, crypto),
    ),
    Layer.provide(SecretBoxNode.layer(masterKeys)),
    Layer.provideMerge(settings),
  )

  const options = Layer.mergeAll(
    Layer.succeed(ApiOptions, {
      baseUrl: host.baseUrl,
      findSloPerSecond: config.findSloPerSecond,
      trustedProxies: config.trustedProxies,
      isV1Served: config.v1Api,
      corsOrigins: config.corsOrigins,
      sendsTraceparent: config.sendsTraceparent,
    }),
    Layer.succeed(Quotas, config.quotas),
    Layer.succeed(DefinitionOptions, {
      vendorPrefix: config.vendorPrefix,
      addressPolicy: host.addressPolicy,
      checkPromQl,
      promqlAdvisor,
      promqlParser,
      clientForm,
      allowUnsupportedSources: config.allowsUnsupportedSources || config.allowsUnsupported,
    }),
    ConsoleFiles.layer(consoleDirectory()),
    HelpFiles.layer(helpDirectory()),
    ReferencePage.layerOf(documentsDirectory()),
    host.writeAccessLog === undefined
      ? Layer.empty
      : AccessLog.layer(host.writeAccessLog, formatAccessLine(config.logFormat)),
  )

  return Layer.provideMerge(options, ports)
}

/** The built web console: beside the `lib` of the bundled server, or else in the output directory of the console's build. */
const consoleDirectory = (): string => {
  const bundled = join(import.meta.dirname, "../console")
  return existsSync(bundled) ? bundled : join(import.meta.dirname, "../../../console/dist")
}

/** The built documentation: beside the `lib` of the bundled server, also for a run from the source. */
const helpDirectory = (): string =>
  import.meta.filename.endsWith(".ts")
    ? join(import.meta.dirname, "../../dist/help")
    : join(import.meta.dirname, "../help")

/** What was written beside the code of the bundled server when it was built; a run from the source has none. */
const documentsDirectory = (): string => import.meta.filename.replace(/\.\w+$/, "")
