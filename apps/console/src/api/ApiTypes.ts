// Generated from the server's OpenAPI document by `npm run console:types`. Do not edit.

export interface paths {
  "/api/alertmethods/{name}/enable": {}
  "/api/alertmethods/{name}/health": {}
  "/api/alertmethods/{name}/pause": {}
  "/api/alertmethods/{name}/resume": {}
  "/api/alertmethods/{name}/test": {}
  "/api/alertmethods/preview": {}
  "/api/alertmethods/test": {}
  "/api/alerts/{id}/acknowledge": {}
  "/api/alerts/held": {}
  "/api/alertsilences/preview": {}
  "/api/apply": {}
  "/api/budget-adjustments/changes": {}
  "/api/budget-adjustments/preview": {}
  "/api/console/alertmethods": {}
  "/api/console/datasources/{name}/names": {}
  "/api/console/deliveries/{id}/request": {}
  "/api/console/overview": {}
  "/api/console/rows": {}
  "/api/console/session": {}
  "/api/console/session/link": {}
  "/api/console/silences": {}
  "/api/console/slos": {}
  "/api/console/status": {}
  "/api/console/trends": {}
  "/api/credentials": {}
  "/api/credentials/{clientId}": {}
  "/api/credentials/{clientId}/disable": {}
  "/api/credentials/{clientId}/rotate": {}
  "/api/datasources": {}
  "/api/datasources/{name}": {}
  "/api/datasources/{name}/test": {}
  "/api/datasources/test": {}
  "/api/definitions/{kind}/{name}/history": {}
  "/api/definitions/{kind}/{name}/history/{id}": {}
  "/api/definitions/{kind}/{name}/warnings": {}
  "/api/definitions/convert": {}
  "/api/definitions/deleted": {}
  "/api/delete/{kind}": {}
  "/api/deliveries": {}
  "/api/deliveries/{id}": {}
  "/api/deliveries/{id}/resend": {}
  "/api/deliveries/resend": {}
  "/api/get/{kind}": {}
  "/api/get/alert": {}
  "/api/indicators/backtest": {}
  "/api/indicators/test": {}
  "/api/notifications/v1/webhook-http-signature/public-keys": {}
  "/api/objects/v1/slos/move": {}
  "/api/reports": {}
  "/api/reports/{id}": {}
  "/api/reports/{id}/signature": {}
  "/api/resends": {}
  "/api/resends/{id}/cancel": {}
  "/api/signingkeys": {}
  "/api/signingkeys/rotate": {}
  "/api/slos/{sloName}/annotations": {}
  "/api/slos/{sloName}/annotations/{id}": {}
  "/api/slos/{sloName}/backtest": {}
  "/api/slos/{sloName}/explain": {}
  "/api/slos/{sloName}/forecast": {}
  "/api/slos/{sloName}/indicator": {}
  "/api/slos/{sloName}/indicator/replay": {}
  "/api/slos/{sloName}/indicator/replay/resume": {}
  "/api/slos/{sloName}/proposals": {}
  "/api/slos/{sloName}/series": {}
  "/api/unsupported": {}
  "/api/v2/slos": {}
  "/api/v2/slos/{sloName}": {}
}
export interface components {
  schemas: {
    AnnotationRequest: {
      from?: string
      kind: "deployment" | "incident" | "note" | "review"
      labels?: { [key: string]: string[] }
      objective?: string
      text?: string
      title: string
      to?: string
      url?: string
    }
    Error: {
      errors: {
        code?: string
        detail?: string
        source?: { propertyName?: string; propertyValue?: string }
        title: string
      }[]
    }
  }
}
