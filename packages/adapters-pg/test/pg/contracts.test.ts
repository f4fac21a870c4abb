import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import { make as makeCredentialStore } from "../../src/access/CredentialStorePg.ts"
import * as DefinitionHistoryPg from "../../src/definition/DefinitionHistoryPg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as IncidentStorePg from "../../src/incident/IncidentStorePg.ts"
import * as IndicatorStorePg from "../../src/slo/IndicatorStorePg.ts"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import * as PushedMetricStorePg from "../../src/slo/PushedMetricStorePg.ts"
import * as AnnotationStorePg from "../../src/slo/AnnotationStorePg.ts"
import * as BackfillStorePg from "../../src/slo/BackfillStorePg.ts"
import * as ReportStorePg from "../../src/slo/ReportStorePg.ts"
import * as ReviewStorePg from "../../src/slo/ReviewStorePg.ts"
import * as SigningKeyStorePg from "../../src/access/SigningKeyStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { CredentialStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { componentRulesContract } from "../../../../test/contract/component-rules.ts"
import { generatedReportsContract } from "../../../../test/contract/generated-reports.ts"
import { expectedRevisionsContract } from "../../../../test/contract/expected-revisions.ts"
import { fleetModelContract } from "../../../../test/contract/fleet-model.ts"
import { mixedBatchesContract } from "../../../../test/contract/mixed-batches.ts"
import {
  annotationStoreContract,
  countStoreContract,
  credentialStoreContract,
  definitionHistoryContract,
  definitionStoreContract,
  incidentStoreContract,
  indicatorStoreContract,
  objectiveGroupsContract,
  pushedMetricStoreContract,
  rateLimiterContract,
  backfillStoreContract,
  reportStoreContract,
  reviewStoreContract,
  signingKeyStoreContract,
  sloDueContract,
  sloMoveContract,
  sloStoreContract,
} from "@tocsin/testing/contracts"
import { it } from "@tocsin/testing/vitest"
import { statusModelContract } from "../../../../test/contract/status-model.ts"
import { warningsContract } from "../../../../test/contract/warnings.ts"
import { expectStatementsOfOneOrganization, recordStatements } from "../../../../test/pg/Statements.ts"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  SloStorePg.layer,
  CountStorePg.layer,
  DefinitionHistoryPg.layer,
  DefinitionStorePg.layer,
  IncidentStorePg.layer,
  IndicatorStorePg.layer,
  BackfillStorePg.layer,
  ReportStorePg.layer,
  ReviewStorePg.layer,
  AnnotationStorePg.layer,
  PushedMetricStorePg.layer,
  DeliveryLogPg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer), Layer.provideMerge(recordStatements))

definitionStoreContract("pg", stores)
definitionHistoryContract("pg", stores)
componentRulesContract("pg", stores)
mixedBatchesContract("pg", stores)
warningsContract("pg", stores)
expectedRevisionsContract("pg", stores)
sloStoreContract("pg", stores)
sloDueContract("pg", stores)
sloMoveContract("pg", stores)
countStoreContract("pg", stores)
indicatorStoreContract("pg", stores)
backfillStoreContract("pg", stores)
reportStoreContract("pg", stores)
reviewStoreContract("pg", stores)
generatedReportsContract("pg", stores)
annotationStoreContract("pg", stores)
incidentStoreContract("pg", stores)
pushedMetricStoreContract("pg", stores)
objectiveGroupsContract("pg", stores)
statusModelContract("pg", stores, 25)
fleetModelContract("pg", stores, 15)
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
