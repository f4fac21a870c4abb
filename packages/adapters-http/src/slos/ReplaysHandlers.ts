import { replays } from "@tocsin/api"
import {
  cancelReplay,
  findReplay,
  replayPercent,
  resumeReplay,
  startReplay,
} from "@tocsin/domain/features/data-source"
import type { Replay } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"

export const replaysRoutes = serve(replays, {
  startReplay: ({ organization, sloName: name, project, body }) =>
    Effect.map(startReplay(organization, { project, name }, body), accepted),
  findReplay: ({ organization, sloName: name, project }) =>
    Effect.map(findReplay(organization, { project, name }), progressOf),
  cancelReplay: ({ organization, sloName: name, project }) =>
    Effect.map(cancelReplay(organization, { project, name }), progressOf),
  resumeReplay: ({ organization, sloName: name, project }) =>
    Effect.map(resumeReplay(organization, { project, name }), accepted),
})

const progressOf = (replay: Replay) => {
  const { range, readTo, firstAt } = replay
  return {
    ...replay,
    ...range,
    percent: replayPercent(replay),
    readTo: Math.min(readTo, range.to),
    ...(firstAt !== undefined && { firstMinute: firstAt }),
  }
}

const accepted = (replay: Replay) => ({ status: 202, value: progressOf(replay) }) as const
