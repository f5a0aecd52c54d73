ALTER TABLE `compactions` ADD `context_window` integer;--> statement-breakpoint
ALTER TABLE `compactions` ADD `working_context` text;