import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { metricSourceContract } from "@tocsin/testing/contracts"
import { serveHistory } from "./HistoryServer.ts"

metricSourceContract(
  "Prometheus",
  MetricSourcePrometheus.layer({ allowCidrs: ["127.0.0.0/8"] }),
  serveHistory,
)
