import { backfills } from "@tocsin/api"
import {
  cancelBackfill,
  findBackfill,
  backfillPercent,
  resumeBackfill,
  startBackfill,
} from "@tocsin/domain/features/data-source"
import type { Backfill } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"

export const backfillsRoutes = serve(backfills, {
  startBackfill: ({ organization, sloName: name, project, body }) =>
    Effect.map(startBackfill(organization, { project, name }, body), accepted),
  findBackfill: ({ organization, sloName: name, project }) =>
    Effect.map(findBackfill(organization, { project, name }), progressOf),
  cancelBackfill: ({ organization, sloName: name, project }) =>
    Effect.map(cancelBackfill(organization, { project, name }), progressOf),
  resumeBackfill: ({ organization, sloName: name, project }) =>
    Effect.map(resumeBackfill(organization, { project, name }), accepted),
})

const progressOf = (backfill: Backfill) => {
  const { range, readTo, firstAt } = backfill
  return {
    ...backfill,
    ...range,
    percent: backfillPercent(backfill),
    readTo: Math.min(readTo, range.to),
    ...(firstAt !== undefined && { firstMinute: firstAt }),
  }
}

const accepted = (backfill: Backfill) => ({ status: 202, value: progressOf(backfill) }) as const
