import { urgentRowsMax } from "@tocsin/api"
import { recordKey, workFor } from "@tocsin/domain"
import { inParts, type Kept, makeKept } from "@tocsin/domain/adapter"
import { readFleetSummary, readOpenAlerts } from "@tocsin/domain/features/overview"
import { type OrganizationId, projectKeyText } from "@tocsin/domain/kernel"
import {
  type AlertStore,
  type DefinitionStore,
  SloStore,
  type StoreIsUnavailable,
} from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { sharedJson } from "./SharedJson.ts"
import { sloRowsJson } from "./SloRows.ts"

/** Most bytes of all responses that a process keeps, which take some 20 kB each: 16 MiB. */
const keptMaxBytes = 16_777_216

/** What a response takes beside its body, in bytes. */
const responseBytes = 500

type UrgentRows = Kept<
  OrganizationId,
  ApiResponse,
  StoreIsUnavailable,
  AlertStore | DefinitionStore | SloStore
>

const makeUrgentRows = (): UrgentRows =>
  makeKept({
    max: keptMaxBytes,
    sizeOf: ({ body }) => responseBytes + body.length,
    make: () => sharedJson(new Uint8Array()),
    refresh: (organization) => readUrgentRows(organization),
  })

/** The rows that were read last, of each store of a process. */
const rowsByStore = Context.Reference<WeakMap<SloStore["Service"], UrgentRows>>(
  "@tocsin/adapters-http/internal/console/UrgentRows",
  { defaultValue: () => new WeakMap() },
)

/** The SLOs that the console lists first, with what it counts of all of them. */
export const urgentRowsOf = Effect.fnUntraced(function* (organization: OrganizationId) {
  const byStore = yield* rowsByStore
  const store = yield* SloStore
  const rows = byStore.get(store) ?? makeUrgentRows()
  byStore.set(store, rows)
  return yield* workFor(organization)(rows.get(organization))
})

const links = { self: "/api/console/rows?part=urgent" }

const readUrgentRows = Effect.fnUntraced(function* (organization: OrganizationId) {
  const openAlerts = yield* readOpenAlerts(organization)
  const summary = yield* readFleetSummary(organization, { urgentMax: urgentRowsMax, itemsMax: 0, openAlerts })
  const records = summary === undefined ? [] : yield* (yield* SloStore).findAll(organization, summary.urgent)
  const keys = new Set(records.map((record) => projectKeyText(recordKey(record))))
  const ofRows = new Map([...openAlerts].filter(([key]) => keys.has(key)))
  return sharedJson(
    yield* inParts(() => sloRowsJson({ records, openAlerts: ofRows }, links, summary?.states)),
  )
})
