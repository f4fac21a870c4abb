import type {
  StatusPageNotFound,
  SubscriptionIsInvalid,
  SubscriptionLinkIsInvalid,
  SubscriptionNotFound,
} from "@tocsin/domain/features/status-page"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const statusPageErrors: StatusTable<
  StatusPageNotFound | SubscriptionIsInvalid | SubscriptionLinkIsInvalid | SubscriptionNotFound
> = {
  SubscriptionIsInvalid: ({ issues }) => invalidBody("Invalid subscription", issues),
  SubscriptionLinkIsInvalid: () =>
    oneError(404, {
      title: "Subscription not found",
      code: "subscription_link_invalid",
      detail: "The link has expired, or the subscription was deleted. Subscribe again on the status page.",
    }),
  SubscriptionNotFound: ({ id }) =>
    oneError(404, {
      title: "Subscription not found",
      code: "subscription_not_found",
      detail: "No subscription has this ID. GET /api/status-page-subscriptions lists subscriptions.",
      source: { propertyName: "id", propertyValue: id },
    }),
  StatusPageNotFound: ({ slug }) =>
    oneError(404, {
      title: "Status page not found",
      code: "not_found",
      source: { propertyName: "slug", propertyValue: slug },
    }),
}
