// A model's price for people.
import type { CatalogLink } from "../../adapters/registry/ModelCatalog.ts"

export const priceText = ({ free, price }: Pick<CatalogLink, "free" | "price">): string => {
  if (free) return "free"
  if (price === undefined) return "price unknown"
  const more = price.tiers === undefined || price.tiers.length === 0 ? "" : ", more for long prompts"
  return `$${price.inputUsdPerMillion} in, $${price.outputUsdPerMillion} out a million tokens${more}`
}
