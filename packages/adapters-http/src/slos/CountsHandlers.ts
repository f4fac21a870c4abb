import { counts } from "@tocsin/api"
import { findSloForecast, findSloSeries, recordCountBatch, recordCounts, workFor } from "@tocsin/domain"
import { entriesPerPart } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { burnRateWindowsMax } from "@tocsin/domain/limits"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import { serve } from "../serve/Serve.ts"

export const countsRoutes = serve(counts, {
  recordCounts: ({ organization, sloName: name, project, body }) =>
    recordCounts(organization, { name, body, ...(project !== undefined && { project }) }).pipe(
      asLongList(organization, body),
    ),
  recordCountBatch: ({ organization, body }) =>
    recordCountBatch(organization, body).pipe(asLongList(organization, body)),
  readSeries: ({ organization, sloName: name, window: windows = [], ...query }) => {
    const series = findSloSeries(organization, { name, windows, ...query })
    const units = Math.min(windows.length, burnRateWindowsMax)
    return units === 0 ? series : series.pipe(costly(organization, costlyReadsPolicy, units))
  },
  readForecast: ({ organization, sloName: name, project }) =>
    findSloForecast(organization, { name, project }),
})

/** A list that is decoded in several parts shares the processor; a short one, as most are, waits for nobody. */
const asLongList = (organization: OrganizationId, body: unknown): ReturnType<typeof workFor> =>
  Array.isArray(body) && body.length > entriesPerPart ? workFor(organization) : (work) => work
