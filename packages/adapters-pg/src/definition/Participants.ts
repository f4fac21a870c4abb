import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Part, keptInProjectPart, keptPart } from "@tocsin/domain"
import { type StoreParticipant, storeParticipants, valuesOf } from "@tocsin/domain/adapter"
import { annotationPart } from "@tocsin/domain/features/annotation"
import { type OrganizationId, projectKeyText } from "@tocsin/domain/kernel"
import {
  changeRecordPart,
  type DefinitionChange,
  latestRevisionPart,
  type SecretBox,
  type SecretCannotBeOpened,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { cancelAlerts } from "../alerting/AlertStorePg.ts"
import { moveAlerts } from "../alerting/MoveAlerts.ts"
import { putSilenceNotices } from "../alerting/SilenceNoticeStorePg.ts"
import type { StoredRowIsInvalid } from "../database/StoredRow.ts"
import { resetEndpoints } from "../delivery/EndpointStorePg.ts"
import type { SloTables } from "../slo/MoveSlos.ts"
import { readAnnotations, writeAnnotations } from "../slo/AnnotationStorePg.ts"
import { makeSourcesDue, putIndicators, removeUnusedServers } from "../slo/IndicatorStorePg.ts"
import { putPushedIndicators } from "../slo/PushedMetricStorePg.ts"
import { putReportSchedules } from "../slo/ReportStorePg.ts"
import { putRecord } from "./ChangeRecordRows.ts"
import { moveHistory, putHistory, readLatestRevisions } from "./DefinitionHistoryPg.ts"
import { putStatusPages, removeStatusPages } from "./StatusPageRows.ts"
import { countKept, readKept, readKeptIn, writeKept } from "./KeptRows.ts"

/** A change of definitions, in its transaction; the row of the organization is locked. */
interface Changing {
  readonly sql: SqlClient.SqlClient
  readonly box: SecretBox["Service"]
  readonly organization: OrganizationId
  readonly change: DefinitionChange
  /** Newer than that of every other change of the organization. */
  readonly version: number
  /** Unix milliseconds. */
  readonly now: number
  /** Has the queues of all processes look for deliveries once the change is committed. */
  readonly wakeQueues: () => void
}

type Writing = Effect.Effect<unknown, SqlError | SecretCannotBeOpened | StoredRowIsInvalid>

/** What the store keeps beside definitions, written in the transaction of their change. */
interface Participant {
  /** The answers to the questions of parts, which the change decides with. */
  readonly answers?: ReadonlyArray<Answers>
  /** The parts that it writes. */
  readonly parts?: ReadonlyArray<{ readonly name: string }>
  /** Its objects that count as definitions. */
  readonly count?: (sql: SqlClient.SqlClient, organization: OrganizationId) => Fragment
  /** Its tables whose rows follow an SLO that is moved. */
  readonly sloTables?: SloTables
  /** Runs before the definitions are written. */
  readonly before?: (changing: Changing) => Writing
  /** Runs once the definitions and the SLOs are written. */
  readonly write?: (changing: Changing) => Writing
}

interface Answers {
  readonly part: string
  readonly read: (
    sql: SqlClient.SqlClient,
    organization: OrganizationId,
    questions: ReadonlyArray<unknown>,
  ) => Effect.Effect<ReadonlyMap<string, unknown>, SqlError | StoredRowIsInvalid>
}

/** `read` returns the answers by `textOf` of their questions. */
const answersOf = <W, Q, A>(
  { name }: Part<W, Q, A>,
  read: (
    sql: SqlClient.SqlClient,
    organization: OrganizationId,
    questions: ReadonlyArray<Q>,
  ) => Effect.Effect<ReadonlyMap<string, A>, SqlError | StoredRowIsInvalid>,
): Answers => ({
  part: name,
  // Only questions of this part are asked here.
  read: (sql, organization, questions) => read(sql, organization, questions as ReadonlyArray<Q>),
})

const writingOf =
  <W, Q, A>(part: Part<W, Q, A>, write: (changing: Changing, value: W) => Writing) =>
  (changing: Changing): Writing =>
    Effect.forEach(valuesOf(changing.change.parts, part), (value) => write(changing, value), {
      discard: true,
    })

const endpoints: Participant = {
  before: ({ sql, box, organization, change, wakeQueues }) =>
    Effect.map(resetEndpoints(sql, box, organization, change), (hasReset) => {
      // What waited for the former receiver may be due.
      if (hasReset) wakeQueues()
    }),
}

const alerts: Participant = {
  write: ({ sql, organization, change: { moves = [], remove }, now }) =>
    Effect.andThen(moveAlerts(sql, organization, moves), cancelAlerts(sql, organization, remove, now)),
}

const statusPages: Participant = {
  write: ({ sql, organization, change: { put, remove }, now }) =>
    Effect.gen(function* () {
      yield* removeStatusPages(sql, organization, remove)
      yield* putStatusPages(sql, organization, put, now)
    }),
}

const keptDocuments: Participant = {
  answers: [
    answersOf(keptPart, readKept),
    answersOf(keptInProjectPart, (sql, organization, projects) =>
      Effect.map(
        Effect.forEach(projects, (project) => readKeptIn(sql, organization, project)),
        (read) => new Map(projects.map((project, index) => [project, read[index] ?? []])),
      ),
    ),
  ],
  parts: [keptPart],
  count: countKept,
  write: writingOf(keptPart, ({ sql, organization }, value) => writeKept(sql, organization, value)),
}

const silenceNotices: Participant = {
  write: ({ sql, organization, change, now }) => putSilenceNotices(sql, organization, change, now),
}

const indicators: Participant = {
  sloTables: { referred: ["indicator_polls", "indicator_replays"], other: ["indicator_replay_hours"] },
  write: ({ sql, organization, change: { put, remove }, now }) =>
    Effect.gen(function* () {
      yield* putIndicators(sql, organization, put, now)
      yield* makeSourcesDue(sql, organization, put, now)
      const changed = [...remove, ...put.map(({ definition }) => definition)]
      if (changed.some(({ kind }) => kind === "SLO")) yield* removeUnusedServers(sql, organization)
    }),
}

const pushedIndicators: Participant = {
  sloTables: {
    referred: ["pushed_indicators"],
    other: ["pushed_metrics", "pushed_series", "pushed_minutes"],
  },
  write: ({ sql, organization, change: { put }, now }) => putPushedIndicators(sql, organization, put, now),
}

const reportSchedules: Participant = {
  sloTables: { other: ["report_schedules", "reports"] },
  write: ({ sql, organization, change: { put }, now }) => putReportSchedules(sql, organization, put, now),
}

const annotations: Participant = {
  sloTables: { other: ["annotations"] },
  answers: [
    answersOf(annotationPart, (sql, organization, questions) =>
      Effect.map(
        readAnnotations(
          sql,
          organization,
          questions.flatMap(({ slo, ids }) => ids.map((id) => ({ project: slo.project, slo: slo.name, id }))),
        ),
        (read) =>
          new Map(
            questions.flatMap((question) => {
              const found = read.get(projectKeyText(question.slo))
              return found === undefined ? [] : [[annotationPart.textOf(question), found] as const]
            }),
          ),
      ),
    ),
  ],
  parts: [annotationPart],
  write: writingOf(annotationPart, ({ sql, organization }, value) =>
    writeAnnotations(sql, organization, value),
  ),
}

const changeRecords: Participant = {
  parts: [changeRecordPart],
  write: writingOf(changeRecordPart, ({ sql, organization }, record) => putRecord(sql, organization, record)),
}

const history: Participant = {
  answers: [answersOf(latestRevisionPart, readLatestRevisions)],
  write: ({ sql, organization, change: { moves = [], history }, version, now }) =>
    Effect.gen(function* () {
      if (moves.length > 0) yield* moveHistory(sql, organization, moves)
      if (history !== undefined) yield* putHistory(sql, organization, version, history, now)
    }),
}

const all = {
  endpoints,
  alerts,
  "status pages": statusPages,
  "kept documents": keptDocuments,
  "silence notices": silenceNotices,
  indicators,
  "pushed indicators": pushedIndicators,
  "report schedules": reportSchedules,
  annotations,
  "change records": changeRecords,
  history,
} satisfies Readonly<Record<StoreParticipant, Participant>>

/** In the order in which they write. A participant that the domain names and the store lacks does not compile. */
export const participants: ReadonlyArray<Participant> = storeParticipants.map((name) => all[name])
