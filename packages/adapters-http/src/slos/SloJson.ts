import type { SloRecord as SloJson } from "@tocsin/api"
import type { NamedObject, SloRecord, SloWithCounts } from "@tocsin/domain"
import { overallTrack } from "@tocsin/domain/adapter"
import { isCompositeObjective, objectivesOf } from "@tocsin/domain/definitions"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { PageLinks } from "@tocsin/domain/pagination"
import * as Context from "effect/Context"

export type ApiVersion = "v1" | "v2"

/** Encodes SLO records as JSON in UTF-8, and caches the bytes of each record and of the pages that were read last. */
export interface SloEncoder {
  readonly slo: (found: SloWithCounts, version: ApiVersion) => Uint8Array
  readonly page: (
    organization: OrganizationId,
    records: ReadonlyArray<SloRecord>,
    version: ApiVersion,
    links: PageLinks,
  ) => Uint8Array
}

export const makeSloEncoder = (): SloEncoder => {
  const bytesByRecord: Readonly<Record<ApiVersion, WeakMap<SloRecord, Uint8Array>>> = {
    v1: new WeakMap(),
    v2: new WeakMap(),
  }
  const bytesOf = (record: SloRecord, version: ApiVersion): Uint8Array => {
    const known = bytesByRecord[version].get(record)
    if (known !== undefined) return known
    const bytes = encoder.encode(sloToJson({ record }, version))
    bytesByRecord[version].set(record, bytes)
    return bytes
  }
  const pages: Readonly<Record<ApiVersion, ReturnType<typeof makePages>>> = {
    v1: makePages(),
    v2: makePages(),
  }
  return {
    slo: (found, version) =>
      found.counts === undefined ? bytesOf(found.record, version) : encoder.encode(sloToJson(found, version)),
    page: (organization, records, version, links) =>
      pages[version].encode(organization, records, JSON.stringify(links), (record) =>
        bytesOf(record, version),
      ),
  }
}

interface EncodedPage {
  /** The number of each record, which keeps neither the record nor its bytes. */
  readonly numbers: Float64Array
  readonly bytes: Uint8Array
  /** Where each record starts, and where one after the last would. */
  readonly starts: Float64Array
}

/** Most bytes of pages that are kept, in each version. */
const keptPagesMaxBytes = 16 * 1_024 * 1_024

/** The objects of a page, and its place among the others: more than they take. */
const pageOverheadBytes = 1_024

/** The memory that a page takes. */
const sizeOf = (key: string, { numbers, bytes, starts }: EncodedPage): number =>
  pageOverheadBytes + 2 * key.length + numbers.byteLength + bytes.byteLength + starts.byteLength

/** Pages of records, of which only those that have changed since a page was read last are put in again. */
const makePages = () => {
  /** By organization and links, the one that was read last at the end. */
  const kept = new Map<string, EncodedPage>()
  let keptBytes = 0
  const drop = (key: string, page: EncodedPage): void => {
    kept.delete(key)
    keptBytes -= sizeOf(key, page)
  }
  const keep = (key: string, page: EncodedPage, before: EncodedPage | undefined): void => {
    if (before !== undefined) drop(key, before)
    kept.set(key, page)
    keptBytes += sizeOf(key, page)
    for (const [oldest, each] of kept) {
      if (keptBytes <= keptPagesMaxBytes) return
      drop(oldest, each)
    }
  }
  const numberByRecord = new WeakMap<SloRecord, number>()
  let latestNumber = 0
  const numberOf = (record: SloRecord): number => {
    const known = numberByRecord.get(record)
    if (known !== undefined) return known
    numberByRecord.set(record, ++latestNumber)
    return latestNumber
  }
  return {
    encode: (
      organization: OrganizationId,
      records: ReadonlyArray<SloRecord>,
      links: string,
      bytesOf: (record: SloRecord) => Uint8Array,
    ): Uint8Array => {
      const key = `${organization} ${links}`
      const before = kept.get(key)
      const numbers = new Float64Array(records.length)
      for (const [at, record] of records.entries()) numbers[at] = numberOf(record)
      if (before !== undefined && isEqual(before.numbers, numbers)) {
        keep(key, before, before)
        return before.bytes
      }
      const parts: Array<Uint8Array> = []
      const starts = new Float64Array(records.length + 1)
      let at = opening.length
      let index = 0
      while (index < records.length) {
        let end = index
        while (end < records.length && numbers[end] === before?.numbers[end]) end++
        let part: Uint8Array
        if (before !== undefined && end > index) {
          const moved = at - startOf(before, index)
          // Without the comma after the last.
          part = before.bytes.subarray(startOf(before, index), startOf(before, end) - 1)
          for (; index < end; index++) starts[index] = startOf(before, index) + moved
        } else {
          part = bytesOf(records[index] as SloRecord)
          starts[index++] = at
        }
        parts.push(part)
        at += part.length + 1
      }
      const bytes = joinBytes(opening, parts, `],"links":${links}}`)
      starts[index] = at
      keep(key, { numbers, bytes, starts }, before)
      return bytes
    },
  }
}

const isEqual = (a: Float64Array, b: Float64Array): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])

const startOf = ({ starts }: EncodedPage, index: number): number => starts[index] as number

const opening = `{"data":[`

export const SloEncoder = Context.Reference<SloEncoder>("@tocsin/adapters-http/internal/slos/SloEncoder", {
  defaultValue: makeSloEncoder,
})

/** Writes an SLO. */
export const sloToJson = (found: SloWithCounts, version: ApiVersion): string =>
  JSON.stringify(sloToObject(found, version))

/** An SLO as JSON. A property without data is left out, never null, 0 or empty; so are empty maps. */
const sloToObject = ({ record, counts }: SloWithCounts, version: ApiVersion): object => {
  const { slo, statuses, createdAt, project, service } = record
  const { metadata, spec } = slo
  const json: Omit<SloJson, "project" | "service"> &
    Record<"project" | "service", SloJson["project"] | string> = {
    project: version === "v1" ? project.name : namedObject(project),
    service: version === "v1" ? service.name : namedObject(service),
    name: metadata.name,
    displayName: metadata.displayName ?? metadata.name,
    description: spec.description ?? "",
    objectives: objectivesOf(slo).map((objective) => {
      const { name, displayName = name, target } = objective
      const ofRange = counts?.get(name)
      return {
        name,
        displayName,
        target,
        ...statuses.get(name),
        sliType: isCompositeObjective(objective) ? "Composite" : "Ratio",
        ...(ofRange !== undefined && { counts: ofRange }),
      }
    }),
    createdAt: new Date(createdAt).toISOString(),
    ...(spec.composite !== undefined && {
      composite: { ...spec.composite, ...statuses.get(overallTrack) },
    }),
    ...filled("labels", metadata.labels),
    ...filled("annotations", metadata.annotations),
    budgetingMethod: spec.budgetingMethod,
  }
  return json
}

const namedObject = ({ name, displayName = name, labels }: NamedObject): SloJson["project"] => ({
  name,
  displayName,
  ...filled("labels", labels),
})

const filled = <K extends string, V extends object>(key: K, map: V | undefined): { readonly [P in K]?: V } =>
  map === undefined || Object.keys(map).length === 0 ? {} : ({ [key]: map } as { readonly [P in K]: V })

export const joinBytes = (opening: string, parts: ReadonlyArray<Uint8Array>, closing: string): Uint8Array => {
  const start = encoder.encode(opening)
  const end = encoder.encode(closing)
  const commas = Math.max(0, parts.length - 1)
  const joined = new Uint8Array(
    parts.reduce((length, part) => length + part.length, start.length + commas + end.length),
  )
  joined.set(start)
  let at = start.length
  for (const [index, part] of parts.entries()) {
    if (index > 0) joined[at++] = 0x2c
    joined.set(part, at)
    at += part.length
  }
  joined.set(end, at)
  return joined
}

const encoder = new TextEncoder()
