public import MusterNode

extension Node: CommandPerformer {}
