import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Issue } from "../codec/Issue.ts"
import type { Warning } from "../codec/Warning.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { DecodeOptions, RemovedObject } from "./DecodeDefinition.ts"
import type { DefinitionsAreInvalid, DefinitionsNotFound, ExpectedRevision } from "./DefinitionErrors.ts"
import type { DefinitionsRead } from "./DefinitionStore.ts"
import type { Definition, DefinitionDraft, DefinitionKey } from "./Kinds.ts"
import type { ObjectKey, PartChange } from "./Part.ts"

/** How definitions are changed. */
export interface ChangeOptions {
  /** Whether the request is only validated and its outcomes returned; nothing is written. Default: false. */
  readonly dryRun?: boolean
  /** Who makes the change: the client ID of the credential. */
  readonly author?: string
  /** Which revision must be stored of the definition that the request has, its only document. Default: any, or none. */
  readonly expected?: ExpectedRevision
  /**
   * A document with what it lacks of the stored definition, of a client that drops what it does not know; `undefined` if it lacks
   * nothing. Must be pure.
   */
  readonly whole?: (document: unknown, stored: Definition) => unknown
  /** Whether a deletion passes over what does not exist, instead of failing. Default: false. */
  readonly passesOverAbsent?: boolean
}

/** What applying a document did, or would do in a dry run. */
export interface AppliedDefinition {
  /** The object that the document describes. Its kind is one of `kinds`, or one that a participant takes. */
  readonly key: ObjectKey
  /** What happened to it, or would happen in a dry run. */
  readonly outcome: "created" | "updated" | "unchanged"
  /** Only of a definition in a dry run. */
  readonly planned?: PlannedDefinition
  /** What it probably does not do as it was meant to; paths are relative to the document. */
  readonly warnings: ReadonlyArray<Warning>
}

/** What a dry run compared. */
export interface PlannedDefinition {
  /** The stored definition; absent if there is none. */
  readonly before: Definition | undefined
  /** The revision of the stored definition; `unstoredRevision` if there is none. */
  readonly revision: string
  /** The definition that would be stored. */
  readonly after: Definition
}

/**
 * A feature that takes part in changes of definitions. It decides in the transaction of the change, and what it decides is written
 * with it, all or none. The change knows no participant by name.
 */
export interface Participant {
  /** Its name, unique among the participants of a host. */
  readonly name: string
  /** The kinds of its objects. */
  readonly kinds?: ReadonlyArray<ObjectKind>
  /** Its part in applying documents. */
  readonly apply?: {
    /** Whether it takes a document, which then is none of the kinds. */
    readonly takes?: (document: unknown, options: DecodeOptions) => boolean
    /** Its share of one request; `undefined` if it has none. */
    readonly share: (request: ApplyRequest) => Effect.Effect<ApplyShare | undefined, StoreIsUnavailable>
  }
  /** Its part in deleting objects. */
  readonly remove?: {
    readonly takes?: (document: unknown) => boolean
    readonly share: (
      request: RemoveRequest,
    ) => Effect.Effect<
      RemoveShare | undefined,
      DefinitionsAreInvalid | DefinitionsNotFound | StoreIsUnavailable
    >
  }
}

/** A kind of objects that a participant has, which are no definitions. */
export interface ObjectKind {
  /** The kind in their documents. If there are definitions of it too, both share their names. */
  readonly kind: string
  /** What objects of the kind belong to. */
  readonly home: "organization" | "project"
  /** Only of documents that are kept as they were given: why a document has no effect, as a sentence. */
  readonly whyKept?: (document: unknown) => string
}

/** A document of a request. */
interface TakenDocument {
  readonly input: unknown
  /** Its place in the request. */
  readonly index: number
  /** The path before those of its issues, such as `[2]`. */
  readonly path: string
}

/** A request to apply documents. */
export interface ApplyRequest {
  /** The organization whose definitions change. */
  readonly organization: OrganizationId
  /** What the participant takes. */
  readonly documents: ReadonlyArray<TakenDocument>
  /** The valid definitions, decoded once. */
  readonly drafts: ReadonlyArray<{ readonly path: string; readonly draft: DefinitionDraft }>
  /** The options of the use case. */
  readonly options: DecodeOptions & ChangeOptions
}

/** A participant's share of applying documents. */
export interface ApplyShare {
  /** Known before the change. */
  readonly issues?: ReadonlyArray<Issue>
  /** Definitions that it reads, beside those of the request. */
  readonly reads?: ReadonlyArray<DefinitionKey>
  /** Whether there is an object that definitions may refer to and that is no definition. */
  readonly exists?: (key: DefinitionKey, found: DefinitionsRead) => boolean
  /** Decides its part. Must be pure, as a repeated transaction calls it again. */
  readonly decide?: (found: DefinitionsRead, after: DefinitionAfter) => Participation
}

/** A definition as it is after the change: `"invalid"` for one of the request that has issues, absent if there is none. */
export type DefinitionAfter = (key: DefinitionKey) => Definition | "invalid" | undefined

/** A definition that a change creates, replaces or, without `after`, deletes. */
export interface ChangedDefinition {
  /** The stored definition; `undefined` if it is created. */
  readonly before: Definition | undefined
  /** The definition as it will be stored; `undefined` if it is deleted. */
  readonly after: Definition | undefined
}

/** What a participant has decided. Nothing of the request is written if it has issues. */
export interface Participation {
  /** Why the change is refused; empty if it is not. */
  readonly issues?: ReadonlyArray<Issue>
  /** How many of its objects are new and count as definitions. Default: 0. */
  readonly created?: number
  /** What became of each document that it took, by the index. */
  readonly applied?: ReadonlyArray<AppliedDefinition & { readonly index: number }>
  /** What is written. Called once the whole request is valid, and not in a dry run. */
  readonly parts?: (changed: ReadonlyArray<ChangedDefinition>) => ReadonlyArray<PartChange>
}

/** A request to delete objects. */
export interface RemoveRequest {
  /** The organization whose objects are deleted. */
  readonly organization: OrganizationId
  /** What the participant takes. */
  readonly documents: ReadonlyArray<TakenDocument>
  /** The objects of the kinds that the participant has, by name. */
  readonly objects: ReadonlyArray<RemovedObject>
  /** The definitions to delete. */
  readonly definitions: ReadonlyArray<DefinitionKey>
  /** The options of the use case. */
  readonly options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject"> & ChangeOptions
}

/** A participant's share of deleting objects. */
export interface RemoveShare {
  /** Known before the change. */
  readonly issues?: ReadonlyArray<Issue>
  /** The objects that it deletes, which then refer to nothing. */
  readonly removes?: ReadonlyArray<ObjectKey>
  /** Whether it deletes an object that is to be deleted as a definition, and is none. */
  readonly has?: (key: DefinitionKey, found: DefinitionsRead) => boolean
  /** What refers to a definition, beside definitions. */
  readonly referrers?: (key: DefinitionKey, found: DefinitionsRead) => ReadonlyArray<ObjectKey>
  /** The issues of its objects that do not exist. */
  readonly absent?: (found: DefinitionsRead) => ReadonlyArray<Issue>
  /** The issues of its objects that exist and cannot be deleted. */
  readonly kept?: ReadonlyArray<Issue>
  /** What is written. Called once the whole request is valid, and not in a dry run. */
  readonly parts?: (
    found: DefinitionsRead,
    changed: ReadonlyArray<ChangedDefinition>,
  ) => ReadonlyArray<PartChange>
}

/** The participants in changes of definitions, in the order in which their parts are written. */
export class Participants extends Context.Service<Participants, ReadonlyArray<Participant>>()(
  "@tocsin/domain/Participants",
) {}

/** The participants of a host: a feature whose line is left out does not take part. */
export const participantsLayer = <P extends Effect.Effect<Participant, never, unknown>>(
  participants: ReadonlyArray<P>,
): Layer.Layer<Participants, never, Effect.Services<P>> =>
  Layer.effect(
    Participants,
    Effect.all(participants as ReadonlyArray<Effect.Effect<Participant, never, Effect.Services<P>>>),
  )
