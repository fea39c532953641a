"""The chart vocabulary of the reports: time lines, percentile plots, heat maps, bars. Every chart is one inline SVG."""

from reports.charts.bars import Bar, bars
from reports.charts.curves import Curve, Point, curves
from reports.charts.heatmap import heat_map
from reports.charts.percentiles import percentile_plot
from reports.charts.timeline import Line, Mark, timeline

__all__ = ["Bar", "Curve", "Line", "Mark", "Point", "bars", "curves", "heat_map", "percentile_plot", "timeline"]
