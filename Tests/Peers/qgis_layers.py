"""Prints the features of layers as QGIS reads them, as JSON. Run with Debian's Python.

    QT_QPA_PLATFORM=offscreen /usr/bin/python3 Tests/Peers/qgis_layers.py '{"name": "source"}'"""

import json
import sys

from qgis.core import QgsApplication, QgsVectorLayer, QgsWkbTypes


def described(feature):
    """Returns the attributes that are texts or numbers, and the geometry."""
    found = {name: value for name, value in feature.attributeMap().items()
             if isinstance(value, (str, int, float))}
    geometry = feature.geometry()
    found["valid"] = geometry.isGeosValid()
    if QgsWkbTypes.geometryType(geometry.wkbType()) == QgsWkbTypes.PointGeometry:
        point = geometry.asPoint()
        found["point"] = [point.x(), point.y()]
    return found


def layers(sources):
    found = {}
    for name, source in sources.items():
        layer = QgsVectorLayer(source, name, "ogr")
        if not layer.isValid() or layer.crs().authid() != "EPSG:4326":
            raise SystemExit(f"QGIS cannot read {source} as WGS 84")
        found[name] = [described(feature) for feature in layer.getFeatures()]
    return found


application = QgsApplication([], False)
application.initQgis()
print(json.dumps(layers(json.loads(sys.argv[1]))), flush=True)
application.exitQgis()
