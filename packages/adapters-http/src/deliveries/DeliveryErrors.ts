import type { DeliveryNotFound } from "@tocsin/domain/internal/delivery/DeliveryLog"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const deliveryErrors: StatusTable<DeliveryNotFound> = {
  DeliveryNotFound: ({ id }) =>
    oneError(404, {
      title: "Delivery not found",
      code: "delivery_not_found",
      source: { propertyName: "id", propertyValue: id },
    }),
}
