import { storeParticipants } from "@tocsin/domain/adapter"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AlertStoreMemory from "../../src/alerting/AlertStoreMemory.ts"
import * as SilenceNoticeStoreMemory from "../../src/alerting/SilenceNoticeStoreMemory.ts"
import * as DefinitionHistoryMemory from "../../src/definition/DefinitionHistoryMemory.ts"
import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as DeliveryTables from "../../src/delivery/DeliveryTables.ts"
import * as AnnotationStoreMemory from "../../src/slo/AnnotationStoreMemory.ts"
import * as IndicatorStoreMemory from "../../src/slo/IndicatorStoreMemory.ts"
import * as PushedMetricStoreMemory from "../../src/slo/PushedMetricStoreMemory.ts"
import * as ReportStoreMemory from "../../src/slo/ReportStoreMemory.ts"

it.effect("what takes part in changes has the names that the domain publishes, and none is missing", () => {
  const names = new Set<string>()
  const recording = Layer.effect(
    MemoryDatabase.MemoryDatabase,
    Effect.map(MemoryDatabase.MemoryDatabase, (database) => ({
      ...database,
      takePart: (participant: Parameters<typeof database.takePart>[0]) => {
        names.add(participant.name)
        database.takePart(participant)
      },
    })),
  ).pipe(Layer.provide(MemoryDatabase.layer))
  const stores = Layer.mergeAll(
    AlertStoreMemory.layer,
    AnnotationStoreMemory.layer,
    DefinitionHistoryMemory.layer,
    DefinitionStoreMemory.layer,
    IndicatorStoreMemory.layer,
    PushedMetricStoreMemory.layer,
    ReportStoreMemory.layer,
    SilenceNoticeStoreMemory.layer,
  ).pipe(Layer.provide(DeliveryTables.layer), Layer.provide(recording))
  return Effect.map(Layer.build(stores), () => {
    expect([...names].toSorted()).toEqual(storeParticipants.toSorted())
  })
})
