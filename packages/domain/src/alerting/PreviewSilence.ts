import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type SilencePeriod, silencePeriods } from "../alert-policy/SilencePeriods.ts"
import type { AlertSilence } from "../alert-policy/AlertSilence.ts"
import type { Issue } from "../codec/Issue.ts"
import { decodeDefinition, type DecodeOptions } from "../definition/DecodeDefinition.ts"
import { definitionsAreEqual } from "../definition/Definition.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { missingReferences, referencesOf } from "../definition/References.ts"
import { definitionKeyText, type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import type { Slo } from "../slo/Slo.ts"
import { readWarnings } from "../definition/WarningRules.ts"
import type { Warning } from "../codec/Warning.ts"
import type { Alert } from "./Alert.ts"
import { AlertStore } from "./AlertStore.ts"
import { DefinitionsAreInvalid } from "../definition/DefinitionErrors.ts"

/** Most SLOs and most alerts that the preview of a silence lists. */
export const silencePreviewMax = pageSizeMax

/** Most periods that the preview of a silence lists. */
export const silencePeriodsMax = 10

/** What a silence covers now, and when it is active. */
export interface SilencePreview {
  /** Sorted by name, at most `silencePreviewMax`. */
  readonly slos: ReadonlyArray<Slo>
  /** Whether the silence covers more than `silencePreviewMax` SLOs; `alerts` are only those of the listed SLOs. */
  readonly hasMoreSlos: boolean
  /** The open alerts of these SLOs whose notifications the silence suppresses while it is active, the latest first. */
  readonly alerts: ReadonlyArray<Alert>
  /** Whether the listed SLOs have more open alerts than the `silencePreviewMax` latest, which were checked. */
  readonly hasMoreAlerts: boolean
  /** The current one and the next ones, at most `silencePeriodsMax`; empty once the silence has ended. */
  readonly periods: ReadonlyArray<SilencePeriod>
  /** About the definition, as when it is applied; their paths are relative to it. */
  readonly warnings: ReadonlyArray<Warning>
}

/**
 * Returns what a silence covers, which need not be applied. Nothing is stored. Fails with `DefinitionsAreInvalid`, with every
 * issue of the definition.
 */
export const previewSilence = Effect.fnUntraced(function* (
  organization: OrganizationId,
  input: unknown,
  options: DecodeOptions,
) {
  const definitions = yield* DefinitionStore
  const alerts = yield* AlertStore
  const decoded = decodeDefinition(input, options)
  if (Result.isFailure(decoded)) return yield* new DefinitionsAreInvalid({ issues: decoded.failure })
  const silence = decoded.success
  if (silence.kind !== "AlertSilence") return yield* new DefinitionsAreInvalid({ issues: [kindIssue] })
  const named = yield* Effect.forEach(referencesOf(silence), ({ key }) =>
    Effect.map(definitions.find(organization, key.kind, key), (found) =>
      Option.isSome(found) ? [definitionKeyText(key)] : [],
    ),
  )
  const existing = new Set(named.flat())
  const issues = missingReferences(silence, (key) => existing.has(definitionKeyText(key)))
  if (issues.length > 0) return yield* new DefinitionsAreInvalid({ issues })

  const { project } = silence.metadata
  const { slo, sloLabels, alertPolicy } = silence.spec
  const slos = yield* definitions.list(
    organization,
    {
      kind: "SLO",
      project,
      ...(slo !== undefined && { names: [slo] }),
      ...(sloLabels !== undefined && { labels: sloLabels.filter }),
    },
    { limit: silencePreviewMax },
  )
  const found = yield* slos.items.length === 0
    ? Effect.succeed({ items: [], hasMore: false })
    : alerts.list(
        organization,
        {
          project,
          slos: slos.items.map(({ definition }) => definition.metadata.name),
          statuses: ["triggered"],
          ...(alertPolicy !== undefined && { alertPolicies: [alertPolicy.name] }),
        },
        { limit: silencePreviewMax },
      )
  const now = yield* Clock.currentTimeMillis
  const stored = Option.getOrUndefined(
    yield* definitions.find(organization, "AlertSilence", silence.metadata),
  )
  // Applying a definition again without a change does not write it.
  const isUnchanged = stored !== undefined && definitionsAreEqual(stored.definition, silence)
  const written = { definition: silence, updatedAt: isUnchanged ? stored.updatedAt : now }
  const preview: SilencePreview = {
    slos: slos.items.map(({ definition }) => definition),
    hasMoreSlos: slos.hasMore,
    alerts: found.items.filter((alert) => isOfSilence(silence, alert)),
    hasMoreAlerts: found.hasMore,
    periods: silencePeriods(written, now, silencePeriodsMax),
    warnings: yield* readWarnings(organization, silence, options),
  }
  return preview
})

/** Whether a silence of the SLO of an alert is one of the alert: it has an alert policy, or is about missing data. */
const isOfSilence = ({ spec }: AlertSilence, { subject }: Alert): boolean =>
  spec.alertPolicy === undefined
    ? subject.alertPolicy !== undefined || subject.anomaly !== undefined
    : subject.alertPolicy !== undefined &&
      projectKeyText(subject.alertPolicy) === projectKeyText(spec.alertPolicy)

const kindIssue: Issue = { path: "kind", code: "not_allowed_value", message: "must be AlertSilence" }
