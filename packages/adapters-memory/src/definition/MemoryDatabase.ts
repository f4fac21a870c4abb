import type { Part, PartChange } from "@tocsin/domain"
import { definitionKey, type DefinitionOf, storeParticipants, valuesOf } from "@tocsin/domain/adapter"
import { kindList } from "@tocsin/domain/definitions"
import {
  type DefinitionKey,
  definitionKeyText,
  type Kind,
  type OrganizationId,
  type ProjectKey,
} from "@tocsin/domain/kernel"
import type { DefinitionChange, SloMove, StoredDefinition } from "@tocsin/domain/ports"
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

/**
 * What a port keeps beside definitions, written within their change. Its functions neither throw nor write definitions. It takes
 * part if `storeParticipants` has its name, in the order of the list.
 */
interface Participant {
  readonly name: string
  /** Called within each change, before anything is written; `version` is that of the definitions that the change writes. */
  readonly before?: (
    organization: OrganizationId,
    change: DefinitionChange,
    now: number,
    version: number,
  ) => void
  /** Called for every definition that exists when it takes part, and from then on within each write. */
  readonly written?: (written: DefinitionWritten) => void
  /** Called within each move of an SLO, before its definition is written with its new project. */
  readonly moved?: (moved: SloMoved) => void
  /** The parts that it writes once the definitions are written. */
  readonly parts?: ReadonlyArray<WrittenPart>
  /** The answers to the questions of parts, which the change decides with. */
  readonly answers?: ReadonlyArray<Answers>
  /** The number of its objects that count as definitions. */
  readonly count?: (organization: OrganizationId) => number
}

interface WrittenPart {
  readonly part: string
  readonly write: (organization: OrganizationId, parts: ReadonlyArray<PartChange>) => void
}

interface Answers {
  readonly part: string
  readonly answer: (organization: OrganizationId, question: unknown) => unknown
}

export const writtenPart = <W, Q, A>(
  part: Part<W, Q, A>,
  write: (organization: OrganizationId, value: W) => void,
): WrittenPart => ({
  part: part.name,
  write: (organization, parts) => {
    for (const value of valuesOf(parts, part)) write(organization, value)
  },
})

export const answersOf = <W, Q, A>(
  { name }: Part<W, Q, A>,
  answer: (organization: OrganizationId, question: Q) => A,
): Answers => ({
  part: name,
  // Only questions of this part are asked here.
  answer: (organization, question) => answer(organization, question as Q),
})

/**
 * The definitions that the memory ports share: one instance is one database.
 *
 * Every operation is synchronous, and therefore atomic. Tables that only some ports read belong to those ports, which
 * keep them up to date as participants.
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
    /** The number of definitions, and of what counts as such. */
    readonly count: (organization: OrganizationId) => number
    /** The answer of the participant in a part. */
    readonly ask: <W, Q, A>(organization: OrganizationId, part: Part<W, Q, A>, question: Q) => A
    /**
     * Writes definitions at `now` (Unix milliseconds), with what the participants write. Their version is the number of the change among
     * those of the organization.
     */
    readonly writeDefinitions: (organization: OrganizationId, change: DefinitionChange, now: number) => void
    /** Has a port take part in each change, unless `storeParticipants` lacks its name. */
    readonly takePart: (participant: Participant) => void
    /** Has the records of SLOs take part in each change, before all others. */
    readonly takePartFirst: (participant: Participant) => void
  }
>()("@tocsin/adapters-memory/internal/MemoryDatabase") {}

const make = (): MemoryDatabase["Service"] => {
  const organizations = new Map<OrganizationId, Tables>()
  const taking: Array<Participant> = []

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
    const text = definitionKeyText(key)
    removeReferences(tables, text)
    if (references.length > 0) tables.references.set(text, references.map(definitionKeyText))
    for (const reference of references.map(definitionKeyText)) {
      const referrers = tables.referrers.get(reference) ?? new Map<string, DefinitionKey>()
      tables.referrers.set(reference, referrers.set(text, key))
    }
    for (const { written } of taking) written?.({ organization, key, before, after, now })
  }

  const moveOne = (organization: OrganizationId, tables: Tables, { name, from, to }: SloMove): void => {
    const move = { organization, from: { project: from, name }, to: { project: to, name } }
    const stored = tables.definitions.SLO.get(move.from)
    if (stored === undefined) return
    removeReferences(tables, definitionKeyText({ kind: "SLO", ...move.from }))
    tables.definitions.SLO.delete(move.from)
    tables.definitions.SLO.set(move.to, stored)
    for (const { moved } of taking) moved?.(move)
  }

  const join = (participant: Participant, place: number): void => {
    taking.splice(place, 0, participant)
    for (const [organization, { definitions }] of organizations) {
      for (const table of Object.values(definitions)) {
        for (const after of table.values()) {
          const key = definitionKey(after.definition)
          participant.written?.({ organization, key, before: undefined, after, now: after.updatedAt })
        }
      }
    }
  }

  return {
    definitions: <K extends Kind>(organization: OrganizationId, kind: K) =>
      // A table has definitions of its own kind only, which its type does not express.
      tablesOf(organization).definitions[kind] as unknown as SortedTable<StoredDefinition<DefinitionOf<K>>>,
    referrers: (organization, key) => [
      ...(tablesOf(organization).referrers.get(definitionKeyText(key))?.values() ?? []),
    ],
    count: (organization) =>
      Object.values(tablesOf(organization).definitions).reduce((sum, { size }) => sum + size, 0) +
      taking.reduce((sum, { count }) => sum + (count?.(organization) ?? 0), 0),
    ask: <W, Q, A>(organization: OrganizationId, { name }: Part<W, Q, A>, question: Q): A => {
      const found = taking.flatMap(({ answers = [] }) => answers).find(({ part }) => part === name)
      if (found === undefined) throw new Error(`No participant of the store answers ${name}`)
      // The answers of a part are of its own type.
      return found.answer(organization, question) as A
    },
    writeDefinitions: (organization, change, now) => {
      const { parts = [] } = change
      const written = taking.flatMap((each) => each.parts ?? [])
      const unwritten = parts.find(({ part }) => !written.some((each) => each.part === part.name))
      if (unwritten !== undefined)
        throw new Error(`No participant of the store writes ${unwritten.part.name}`)
      const tables = tablesOf(organization)
      organizations.set(organization, tables)
      const version = (tables.version += 1)
      for (const { before } of taking) before?.(organization, change, now, version)
      for (const move of change.moves ?? []) moveOne(organization, tables, move)
      for (const key of change.remove) writeOne(organization, tables, key, undefined, [], now)
      for (const { definition, references, updatedAt = now } of change.put) {
        const key = definitionKey(definition)
        const createdAt = tables.definitions[key.kind].get(key)?.createdAt ?? now
        const stored = { definition, version: String(version), createdAt, updatedAt }
        writeOne(organization, tables, key, stored, references, now)
      }
      for (const { write } of written) write(organization, parts)
    },
    takePart: (participant) => {
      const place = placeOf(participant)
      if (place === -1) return
      const later = taking.findIndex((each) => placeOf(each) > place)
      join(participant, later === -1 ? taking.length : later)
    },
    takePartFirst: (participant) => join(participant, 0),
  }
}

/** Where it is in the order of writing; -1 if it does not take part. */
const placeOf = ({ name }: Participant): number => storeParticipants.findIndex((each) => each === name)

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
  /** The number of changes. */
  version: number
  readonly definitions: Readonly<Record<Kind, SortedTable<StoredDefinition>>>
  /** By the text of a key: what the definition refers to, and what refers to it. */
  readonly references: Map<string, ReadonlyArray<string>>
  readonly referrers: Map<string, Map<string, DefinitionKey>>
}

const makeTables = (): Tables => ({
  version: 0,
  definitions: Object.fromEntries(kindList.map((kind) => [kind, new SortedTable()])) as Tables["definitions"],
  references: new Map(),
  referrers: new Map(),
})
