import type { DefinitionOf } from "@tocsin/domain/adapter"
import { kindList } from "@tocsin/domain/definitions"
import type { Kind } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type { ApiClient } from "../client/ApiClient.ts"
import {
  type AppliedObject,
  keyOfObject,
  type ListedObject,
  listObjects,
  objectText,
} from "../client/Objects.ts"

type LabelledKind = {
  [K in Kind]: "labels" extends keyof DefinitionOf<K>["metadata"] ? K : never
}[Kind]

const hasLabels: Readonly<Record<LabelledKind, true>> = {
  Project: true,
  Service: true,
  SLO: true,
  AlertPolicy: true,
}

/** The kinds whose objects can have labels; only they can be pruned. */
export const labelledKinds: ReadonlyArray<Kind> = kindList.filter((kind) => Object.hasOwn(hasLabels, kind))

/** The objects of all projects that have the labels and are not among those applied. */
export const objectsToPrune = (client: ApiClient, labels: string, applied: ReadonlyArray<AppliedObject>) =>
  Effect.gen(function* () {
    const kept = new Set(applied.map(objectText))
    const found = yield* Effect.forEach(labelledKinds, (kind) => listObjects(client, kind, { labels }))
    return found.flat().filter((each: ListedObject) => !kept.has(objectText(keyOfObject(each))))
  })
