"""A small library of integration manuals, with the tools that read it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import atril
from atril.testing.embedders import HashEmbedder

FUNCTIONAL = """# Diseño funcional

## Herramientas de desarrollo

MuleSoft APIKit sirve para publicar una API a partir de su contrato. La versión 4.5 valida las peticiones.

## Módulos

| Módulo | Responsable | Contacto |
| --- | --- | --- |
| Pasarela | Equipo de integración | pasarela@ejemplo.es |
| Facturas | Equipo de cobros | cobros@ejemplo.es |

## Seguridad

El acceso se comprueba con un token firmado que caduca a la hora. La clave se guarda como REF-2024-ABC.
"""

INVOICES = """# Flujo de facturas

## Introducción

El proceso recoge las facturas de la noche y las deja en SAP antes de las siete.

## Errores

Una factura sin contrato se aparta y se avisa a soporte@ejemplo.es con su número.
"""


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[atril.Library]:
    async with atril.open(tmp_path / "home", embedder=HashEmbedder(), language="es") as opened:
        await opened.add_texts(
            [
                {"name": "FD-Mulesoft_Funcional.md", "text": FUNCTIONAL},
                {"name": "FLUJO_FACTURAS.md.md", "text": INVOICES},
            ]
        )
        yield opened
