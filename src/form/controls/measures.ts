// Grammar of k8s.io/apimachinery resource.Quantity: a signed decimal number with a binary, decimal or exponent suffix.
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
// Go's time.ParseDuration, with the days and weeks that OpenAPI's `duration` format adds.
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)\s?(?:ns|us|µs|μs|ms|s|m|h|d|w)\s?)+)$/;

/** Whether the text is a Kubernetes quantity such as `500m`, `1.5` or `10Gi`. */
export function isQuantity(text: string): boolean {
  return text.length <= 100 && QUANTITY.test(text);
}

/** Whether the text is a duration such as `30s` or `1h30m`. */
export function isDuration(text: string): boolean {
  return text.length <= 100 && DURATION.test(text);
}
