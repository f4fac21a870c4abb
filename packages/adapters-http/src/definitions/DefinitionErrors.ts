import type { DefinitionsNotFound } from "@tocsin/domain/definition/DeleteDefinitions"
import { kinds } from "@tocsin/domain/metadata/ObjectKey"
import * as Data from "effect/Data"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { definitionErrors as errorsOf } from "../frame/FrameErrors.ts"

export class KindIsUnknown extends Data.TaggedError("KindIsUnknown") {}

export const definitionErrors: StatusTable<DefinitionsNotFound | KindIsUnknown> = {
  DefinitionsNotFound: ({ issues }) => errorsOf(404, issues),
  KindIsUnknown: () =>
    oneError(404, {
      title: "Unknown kind",
      code: "unknown_kind",
      detail: `Kinds are ${kinds.join(", ")} and Alert, which is read-only.`,
    }),
}
