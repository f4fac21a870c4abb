import * as AlertStorePg from "@tocsin/adapters-pg/internal/alerting/AlertStorePg"
import * as CountStorePg from "@tocsin/adapters-pg/internal/slo/CountStorePg"
import { make as makeCredentialStore } from "@tocsin/adapters-pg/internal/access/CredentialStorePg"
import * as DefinitionHistoryPg from "@tocsin/adapters-pg/internal/definition/DefinitionHistoryPg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/internal/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/internal/delivery/DeliveryHints"
import * as IndicatorStorePg from "@tocsin/adapters-pg/internal/slo/IndicatorStorePg"
import * as RateLimiterPg from "@tocsin/adapters-pg/internal/access/RateLimiterPg"
import * as PushedMetricStorePg from "@tocsin/adapters-pg/internal/slo/PushedMetricStorePg"
import * as AnnotationStorePg from "@tocsin/adapters-pg/internal/slo/AnnotationStorePg"
import * as ReplayStorePg from "@tocsin/adapters-pg/internal/slo/ReplayStorePg"
import * as ReportStorePg from "@tocsin/adapters-pg/internal/slo/ReportStorePg"
import * as SigningKeyStorePg from "@tocsin/adapters-pg/internal/access/SigningKeyStorePg"
import * as SloStorePg from "@tocsin/adapters-pg/internal/slo/SloStorePg"
import { CredentialStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { componentRulesContract } from "../contract/component-rules.ts"
import { mixedBatchesContract } from "../contract/mixed-batches.ts"
import {
  annotationStoreContract,
  countStoreContract,
  credentialStoreContract,
  definitionHistoryContract,
  definitionStoreContract,
  indicatorStoreContract,
  objectiveGroupsContract,
  pushedMetricStoreContract,
  rateLimiterContract,
  replayStoreContract,
  reportStoreContract,
  signingKeyStoreContract,
  sloDueContract,
  sloMoveContract,
  sloStoreContract,
} from "@tocsin/testing/contracts"
import { it } from "@tocsin/testing/vitest"
import { statusModelContract } from "../contract/status-model.ts"
import { warningsContract } from "../contract/warnings.ts"
import { expectStatementsOfOneOrganization, recordStatements } from "./Statements.ts"
import { layer, passTime } from "./TestDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  SloStorePg.layer,
  CountStorePg.layer,
  DefinitionHistoryPg.layer,
  DefinitionStorePg.layer,
  IndicatorStorePg.layer,
  ReplayStorePg.layer,
  ReportStorePg.layer,
  AnnotationStorePg.layer,
  PushedMetricStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer), Layer.provideMerge(recordStatements))

definitionStoreContract("pg", stores)
definitionHistoryContract("pg", stores)
componentRulesContract("pg", stores)
mixedBatchesContract("pg", stores)
warningsContract("pg", stores)
sloStoreContract("pg", stores)
sloDueContract("pg", stores)
sloMoveContract("pg", stores)
countStoreContract("pg", stores)
indicatorStoreContract("pg", stores)
replayStoreContract("pg", stores)
reportStoreContract("pg", stores)
annotationStoreContract("pg", stores)
pushedMetricStoreContract("pg", stores)
objectiveGroupsContract("pg", stores)
statusModelContract("pg", stores, 25)
credentialStoreContract(
  "pg",
  Layer.effect(CredentialStore, makeCredentialStore(0)).pipe(
    Layer.provide(layer),
    Layer.provideMerge(recordStatements),
  ),
)
rateLimiterContract(
  "pg",
  RateLimiterPg.layer.pipe(Layer.provide(layer), Layer.provideMerge(recordStatements)),
  passTime,
)
signingKeyStoreContract(
  "pg",
  SigningKeyStorePg.layer.pipe(Layer.provide(layer), Layer.provideMerge(recordStatements)),
  25,
)

it.effect("every statement of these ports is of one organization, and one that Citus runs on one node", () =>
  Effect.provide(expectStatementsOfOneOrganization, layer),
)
