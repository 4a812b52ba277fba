"""A tool for your own API: how many of an article are left in the shop."""

import httpx
from pydantic import BaseModel, Field

from atril.tools.tool import Tool, ToolContext, TryAgain


class Article(BaseModel):
    sku: str = Field(min_length=1, description="Article number, such as AB-1")


class Stock(Tool[Article]):
    """Tells how many units of an article are in the shop now. Use it before promising one to a customer."""

    name = "stock"

    def __init__(self, shop: httpx.AsyncClient) -> None:
        self._shop = shop

    async def run(self, arguments: Article, context: ToolContext) -> str:
        reply = await self._shop.get(f"/stock/{arguments.sku}")
        if reply.status_code == httpx.codes.NOT_FOUND:
            raise TryAgain(f"Error: there is no article {arguments.sku}. Ask the customer for its number.")
        return f"{arguments.sku}: {reply.raise_for_status().json()['units']} units"
