import { participantsLayer } from "@tocsin/domain"
import { participantList } from "@tocsin/domain/features"
import { apiWith, CryptoNode } from "@tocsin/adapters-http"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import { clientForm, clientParticipants, clientsApi } from "@tocsin/adapters-clients"
import { mcpApi } from "@tocsin/adapters-mcp"
import { prometheusApi } from "@tocsin/adapters-prometheus"
import { checkPromQl, promqlAdvisor, promqlParser } from "@tocsin/promql"
import { MemoryStores, MetricSourceMemory, WebhookTransportRecording } from "@tocsin/adapters-memory"
import type { WebhookTransport } from "@tocsin/domain/ports"
import { ReferencePage } from "@tocsin/adapters-http/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The API with the features that the server has. */
export const api = apiWith([clientsApi, prometheusApi, mcpApi])

/** The master key of the tests. */
export const masterKey = Redacted.make(new Uint8Array(32).fill(7))

/** The options of the test or the host, with PromQL. */
const withPromQl = Layer.effect(
  DefinitionOptions,
  Effect.map(DefinitionOptions, (options) => ({
    checkPromQl,
    promqlAdvisor,
    promqlParser,
    clientForm,
    ...options,
  })),
)

/** What takes part in changes of definitions in the server. */
export const serverParticipants = (options = { allowUnsupported: false }) =>
  participantsLayer([...participantList, ...clientParticipants(options)])

/** Every port that the API and its background work need, over stores in memory or others, with nothing to read. */
export const apiPortsWith = (
  transport: Layer.Layer<WebhookTransport>,
  stores: Layer.Layer<Layer.Success<typeof MemoryStores.layer>> = MemoryStores.layer,
) =>
  CryptoNode.layer(masterKey).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        serverParticipants().pipe(Layer.provideMerge(stores)),
        transport,
        MetricSourceMemory.layer,
        ReferencePage.layer,
        withPromQl,
      ),
    ),
  )

/** Every port that the API needs, in memory, with a transport that sends nothing. */
export const apiPorts = apiPortsWith(WebhookTransportRecording.make().layer)
