import type { UnsupportedDocument } from "@tocsin/domain"
import { definitionKey, type DefinitionOf } from "@tocsin/domain/adapter"
import { type Annotation, kindList } from "@tocsin/domain/definitions"
import {
  type DefinitionKey,
  definitionKeyText,
  type Kind,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import type {
  AnnotationsChange,
  ChangeRecord,
  DefinitionChange,
  SloMove,
  StoredDefinition,
} from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { SortedTable } from "../collections/SortedTable.ts"

/** A write of one definition: `before` is absent for a new one, `after` for a deleted one. */
export interface DefinitionWritten {
  readonly organization: OrganizationId
  readonly key: DefinitionKey
  readonly before: StoredDefinition | undefined
  readonly after: StoredDefinition | undefined
  /** When it was written, in Unix milliseconds. */
  readonly now: number
}

/** An SLO that gets another project. */
export interface SloMoved {
  readonly organization: OrganizationId
  readonly from: ProjectKey
  readonly to: ProjectKey
}

/** `now` is in Unix milliseconds. */
type ChangeListener = (organization: OrganizationId, change: DefinitionChange, now: number) => void

/**
 * The definitions that the memory ports share: one instance is one database.
 *
 * Every operation is synchronous, and therefore atomic. Tables that only some ports read belong to those ports, which
 * keep them up to date through `onDefinitionWritten`.
 */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    /** The definitions of a kind, in order; read-only. */
    readonly definitions: <K extends Kind>(
      organization: OrganizationId,
      kind: K,
    ) => SortedTable<StoredDefinition<DefinitionOf<K>>>
    /** The keys of the definitions that refer to this one, in no particular order. */
    readonly referrers: (organization: OrganizationId, key: DefinitionKey) => ReadonlyArray<DefinitionKey>
    /** The annotations of an SLO by their IDs; read-only but for the store of annotations. */
    readonly annotations: (organization: OrganizationId, slo: ProjectKey) => Map<string, Annotation>
    /** The documents that are stored without effect, by the texts of their keys; read-only. */
    readonly unsupported: (organization: OrganizationId) => ReadonlyMap<string, UnsupportedDocument>
    /** The records of changes of an organization, in the order of their IDs; read-only. */
    readonly records: (organization: OrganizationId) => ReadonlyArray<ChangeRecord>
    /** Writes definitions at `now` (Unix milliseconds), each with a new version, and calls the listeners. */
    readonly writeDefinitions: (organization: OrganizationId, change: DefinitionChange, now: number) => void
    /**
     * Calls the listener for every existing definition, and from then on within each write. A listener neither throws nor
     * writes definitions.
     */
    readonly onDefinitionWritten: (listener: (written: DefinitionWritten) => void) => void
    /** Calls the listener within each change, before it is written. */
    readonly onChanged: (listener: ChangeListener) => void
    /** Calls the listener within each move of an SLO, before its definition is written with its new project. */
    readonly onSloMoved: (listener: (moved: SloMoved) => void) => void
  }
>()("@tocsin/adapters-memory/internal/MemoryDatabase") {}

export const make = (): MemoryDatabase["Service"] => {
  const organizations = new Map<OrganizationId, Tables>()
  const listeners: Array<(written: DefinitionWritten) => void> = []
  const changeListeners: Array<ChangeListener> = []
  const moveListeners: Array<(moved: SloMoved) => void> = []
  let versions = 0

  const tablesOf = (organization: OrganizationId): Tables => organizations.get(organization) ?? makeTables()

  const writeOne = (
    organization: OrganizationId,
    tables: Tables,
    key: DefinitionKey,
    after: StoredDefinition | undefined,
    references: ReadonlyArray<DefinitionKey>,
    now: number,
  ): void => {
    const table = tables.definitions[key.kind]
    const before = table.get(key)
    if (after === undefined) table.delete(key)
    else table.set(key, after)
    if (key.kind === "SLO") {
      const slo = projectKeyText(key)
      if (after === undefined) tables.annotations.delete(slo)
      else if (!tables.annotations.has(slo)) tables.annotations.set(slo, new Map())
    }
    const text = definitionKeyText(key)
    removeReferences(tables, text)
    if (references.length > 0) tables.references.set(text, references.map(definitionKeyText))
    for (const reference of references.map(definitionKeyText)) {
      const referrers = tables.referrers.get(reference) ?? new Map<string, DefinitionKey>()
      tables.referrers.set(reference, referrers.set(text, key))
    }
    for (const listener of listeners) listener({ organization, key, before, after, now })
  }

  const moveOne = (organization: OrganizationId, tables: Tables, { name, from, to }: SloMove): void => {
    const moved = { organization, from: { project: from, name }, to: { project: to, name } }
    const stored = tables.definitions.SLO.get(moved.from)
    if (stored === undefined) return
    removeReferences(tables, definitionKeyText({ kind: "SLO", ...moved.from }))
    tables.definitions.SLO.delete(moved.from)
    tables.definitions.SLO.set(moved.to, stored)
    tables.annotations.set(
      projectKeyText(moved.to),
      tables.annotations.get(projectKeyText(moved.from)) ?? new Map<string, Annotation>(),
    )
    tables.annotations.delete(projectKeyText(moved.from))
    for (const listener of moveListeners) listener(moved)
  }

  return {
    definitions: <K extends Kind>(organization: OrganizationId, kind: K) =>
      // A table has definitions of its own kind only, which its type does not express.
      tablesOf(organization).definitions[kind] as unknown as SortedTable<StoredDefinition<DefinitionOf<K>>>,
    unsupported: (organization) => tablesOf(organization).unsupported,
    referrers: (organization, key) => [
      ...(tablesOf(organization).referrers.get(definitionKeyText(key))?.values() ?? []),
    ],
    annotations: (organization, slo) =>
      tablesOf(organization).annotations.get(projectKeyText(slo)) ?? new Map(),
    records: (organization) => tablesOf(organization).records,
    writeDefinitions: (organization, change, now) => {
      const tables = tablesOf(organization)
      organizations.set(organization, tables)
      for (const listener of changeListeners) listener(organization, change, now)
      if (change.record !== undefined) tables.records.push(change.record)
      for (const move of change.moves ?? []) moveOne(organization, tables, move)
      for (const key of change.remove) writeOne(organization, tables, key, undefined, [], now)
      for (const key of change.unsupported?.remove ?? []) tables.unsupported.delete(definitionKeyText(key))
      for (const each of change.unsupported?.put ?? []) tables.unsupported.set(definitionKeyText(each), each)
      for (const { definition, references, updatedAt = now } of change.put) {
        const key = definitionKey(definition)
        const createdAt = tables.definitions[key.kind].get(key)?.createdAt ?? now
        const stored = { definition, version: String(++versions), createdAt, updatedAt }
        writeOne(organization, tables, key, stored, references, now)
      }
      if (change.annotations !== undefined) writeAnnotations(tables, change.annotations)
    },
    onDefinitionWritten: (listener) => {
      for (const [organization, { definitions }] of organizations) {
        for (const table of Object.values(definitions)) {
          for (const after of table.values()) {
            const key = definitionKey(after.definition)
            listener({ organization, key, before: undefined, after, now: after.updatedAt })
          }
        }
      }
      listeners.push(listener)
    },
    onChanged: (listener) => {
      changeListeners.push(listener)
    },
    onSloMoved: (listener) => {
      moveListeners.push(listener)
    },
  }
}

const writeAnnotations = ({ annotations }: Tables, { put, remove }: AnnotationsChange): void => {
  for (const { project, slo, id } of remove)
    annotations.get(projectKeyText({ project, name: slo }))?.delete(id)
  for (const { slo, annotation } of put) annotations.get(projectKeyText(slo))?.set(annotation.id, annotation)
}

/** Forgets what a definition refers to. */
const removeReferences = (tables: Tables, text: string): void => {
  for (const reference of tables.references.get(text) ?? []) {
    const referrers = tables.referrers.get(reference)
    referrers?.delete(text)
    if (referrers?.size === 0) tables.referrers.delete(reference)
  }
  tables.references.delete(text)
}

export const layer: Layer.Layer<MemoryDatabase> = Layer.sync(MemoryDatabase, make)

interface Tables {
  readonly definitions: Readonly<Record<Kind, SortedTable<StoredDefinition>>>
  /** By the text of a key: what the definition refers to, and what refers to it. */
  readonly references: Map<string, ReadonlyArray<string>>
  readonly referrers: Map<string, Map<string, DefinitionKey>>
  readonly records: Array<ChangeRecord>
  readonly unsupported: Map<string, UnsupportedDocument>
  /** By the text of the key of an SLO, one for each SLO: its annotations by their IDs. */
  readonly annotations: Map<string, Map<string, Annotation>>
}

const makeTables = (): Tables => ({
  unsupported: new Map(),
  definitions: Object.fromEntries(kindList.map((kind) => [kind, new SortedTable()])) as Tables["definitions"],
  references: new Map(),
  referrers: new Map(),
  records: [],
  annotations: new Map(),
})
