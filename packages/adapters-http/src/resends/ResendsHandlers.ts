import { resends } from "@tocsin/api"
import {
  cancelBulkResend,
  findBulkResend,
  listBulkResends,
  requestBulkResend,
} from "@tocsin/domain/features/resend"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"

export const resendsRoutes = serve(resends, {
  resendDeliveries: ({ organization, body }) =>
    Effect.map(requestBulkResend(organization, body), ({ count, resend }) =>
      resend === undefined ? { status: 200, value: count } : { status: 202, value: resend },
    ),
  listResends: ({ organization, page }) => listBulkResends(organization, page),
  findResend: ({ organization, id }) => findBulkResend(organization, id),
  cancelResend: ({ organization, id }) => cancelBulkResend(organization, id),
})
