/** Where notifications may be sent to: addresses and URLs. */
export {
  addressFromText,
  type AddressPolicy,
  anyAddress,
  makeAddressPolicy,
  publicAddressesOnly,
} from "../alert-method/AddressPolicy.ts"
export {
  parseSourceUrl,
  parseWebhookUrl,
  type WebhookUrl,
  webhookUrlMaxCharacters,
} from "../alert-method/WebhookUrl.ts"
