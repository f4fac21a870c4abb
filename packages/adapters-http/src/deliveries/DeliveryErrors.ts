import type { DeliveryNotFound, TestIsNotResent } from "@tocsin/domain/ports"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const deliveryErrors: StatusTable<DeliveryNotFound | TestIsNotResent> = {
  DeliveryNotFound: ({ id }) =>
    oneError(404, {
      title: "Delivery not found",
      code: "delivery_not_found",
      detail:
        "No delivery has this ID, or it was deleted after its retention. GET /api/deliveries lists deliveries (tocsin delivery list).",
      source: { propertyName: "id", propertyValue: id },
    }),
  TestIsNotResent: () =>
    oneError(409, {
      title: "Tests cannot be resent",
      code: "test_not_resent",
      detail: "A test is one attempt. Send another test: POST /api/alertmethods/{name}/test.",
    }),
}
